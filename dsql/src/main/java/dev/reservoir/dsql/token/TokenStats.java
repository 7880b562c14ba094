package dev.reservoir.dsql.token;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of one cluster and user, counted since the start.
 *
 * @param made tokens made
 * @param failures times none could be made
 * @param refused times the server did not accept one
 * @param forced times another was to be made at once because the server had refused the present one; it is in {@code made} if that
 *     succeeded
 * @param expires when the present one ends, or null if there is none
 */
public record TokenStats(
        long made,
        long failures,
        long refused,
        long forced,
        @Nullable Instant expires) {

    /** Every number under the name that it has as a metric. */
    public Map<String, Double> asMetrics(Instant now) {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("dsql_token_made_total", (double) made);
        all.put("dsql_token_failures_total", (double) failures);
        all.put("dsql_token_refused_total", (double) refused);
        all.put("dsql_token_forced_total", (double) forced);
        all.put(
                "dsql_token_remaining_seconds",
                expires == null ? 0.0 : Math.max(0.0, expires.getEpochSecond() - (double) now.getEpochSecond()));
        return all;
    }
}
