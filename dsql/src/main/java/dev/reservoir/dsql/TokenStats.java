package dev.reservoir.dsql;

import java.time.Instant;
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
        @Nullable Instant expires) {}
