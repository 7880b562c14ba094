package dev.reservoir.dsql;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts for the tokens of one cluster and user, since the start.
 *
 * @param made tokens made
 * @param failures failed attempts to make a token
 * @param refused times the server did not accept a token
 * @param forced renewals that were forced because the server refused the present token; a renewal that succeeds also
 *     counts in {@code made}
 * @param expires when the present token expires, or null if there is none
 */
public record TokenStats(
        long made,
        long failures,
        long refused,
        long forced,
        @Nullable Instant expires) {

    /** Returns all values, each under its metric name. Does not block. */
    public Map<String, Double> asMetrics(Instant now) {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("dsql_token_made_total", (double) made);
        all.put("dsql_token_failures_total", (double) failures);
        all.put("dsql_token_refused_total", (double) refused);
        all.put("dsql_token_forced_total", (double) forced);
        double left = expires == null ? 0 : expires.getEpochSecond() - (double) now.getEpochSecond();
        all.put("dsql_token_remaining_seconds", Math.max(0.0, left));
        return all;
    }
}
