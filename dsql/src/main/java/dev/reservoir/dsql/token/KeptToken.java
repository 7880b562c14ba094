package dev.reservoir.dsql.token;

import java.time.Instant;

/** The present token. By two clocks: one may be set back, the other may stand still while a machine sleeps. */
final class KeptToken {
    final Token token;
    private final long untilNanos;
    private final Instant until;

    /** Whether the server has refused it and another is to be made. Guarded by its owner's lock. */
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
