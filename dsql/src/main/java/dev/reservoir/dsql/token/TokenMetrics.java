package dev.reservoir.dsql.token;

import dev.reservoir.dsql.TokenStats;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** The names under which the counts of tokens are reported. */
public final class TokenMetrics {
    private TokenMetrics() {}

    /** Returns all values, each under its metric name. Does not block. */
    public static Map<String, Double> of(TokenStats stats, Instant now) {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("dsql_token_made_total", (double) stats.made());
        all.put("dsql_token_failures_total", (double) stats.failures());
        all.put("dsql_token_refused_total", (double) stats.refused());
        all.put("dsql_token_forced_total", (double) stats.forced());
        Instant expires = stats.expires();
        all.put(
                "dsql_token_remaining_seconds",
                expires == null ? 0.0 : Math.max(0.0, expires.getEpochSecond() - (double) now.getEpochSecond()));
        return all;
    }
}
