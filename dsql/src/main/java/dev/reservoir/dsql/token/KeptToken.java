package dev.reservoir.dsql.token;

import java.time.Instant;

/**
 * The present token. It checks two clocks: the wall clock may be set back, and the monotonic clock may stop while the
 * machine sleeps.
 */
final class KeptToken {
    final Token token;
    private final long untilNanos;
    private final Instant until;

    /**
     * Whether the server has refused the token, so that another must be made. Guarded by the lock of
     * {@link DsqlTokens}.
     */
    boolean refused;

    KeptToken(Token token, long untilNanos, Instant until) {
        this.token = token;
        this.untilNanos = untilNanos;
        this.until = until;
    }

    boolean isUsable(long nowNanos, Instant now) {
        return !refused && nowNanos < untilNanos && now.isBefore(until);
    }
}
