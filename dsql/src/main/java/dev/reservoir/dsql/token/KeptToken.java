package dev.reservoir.dsql.token;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The present token, and the times until which it is used and after which it is renewed. It checks two clocks: the wall
 * clock may be set back, and the monotonic clock may stop while the machine sleeps.
 */
final class KeptToken {
    /**
     * Largest margin before its end in which a token is no longer used. It allows for clock differences and network
     * delay. The margin is a quarter of the token's validity if that is less.
     */
    private static final Duration MARGIN_MAX = Duration.ofMinutes(1);

    /** Shortest time before the next scheduled renewal, however short the validity of the tokens is. */
    private static final long RENEWAL_DELAY_MIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    final Token token;
    private final long usableUntilNanos;
    private final Instant usableUntil;

    /** The time after which a new token replaces this one. It leaves time for several tries. */
    final long renewalDelayNanos;

    /** Whether the server has refused the token. Guarded by the lock of {@link RenewingTokens}. */
    boolean refused;

    KeptToken(Token token, long nowNanos, Instant now) {
        this.token = token;
        Duration validity = Duration.between(now, token.expires());
        Duration quarter = validity.dividedBy(4);
        Duration margin = quarter.compareTo(MARGIN_MAX) < 0 ? quarter : MARGIN_MAX;
        usableUntilNanos = nowNanos + validity.minus(margin).toNanos();
        usableUntil = token.expires().minus(margin);
        long early = Math.min(
                validity.multipliedBy(2).dividedBy(3).toNanos(),
                validity.minus(margin.multipliedBy(2)).toNanos());
        renewalDelayNanos = Math.max(RENEWAL_DELAY_MIN_NANOS, early);
    }

    boolean isUsable(long nowNanos, Instant now) {
        return !refused && nowNanos < usableUntilNanos && now.isBefore(usableUntil);
    }
}
