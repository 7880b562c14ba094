package dev.reservoir.bench.rationed;

/**
 * A token bucket: full at first, refilled evenly, never above its burst. The caller passes the time in. Never waits.
 * Not safe for use by several threads; its owner guards it.
 *
 * <p>It keeps tokens as the time that they take to refill, so that rounding errors do not add up in a long run.
 */
final class TokenBucket {

    private final long intervalNanos;
    private final long capacityNanos;
    private long creditNanos;
    private long refilledAtNanos;

    TokenBucket(int ratePerSecond, int burst, long nowNanos) {
        if (ratePerSecond < 1 || ratePerSecond > 1_000_000) {
            throw new IllegalArgumentException("ratePerSecond = " + ratePerSecond + ", allowed: 1 to 1000000");
        }
        if (burst < 1) {
            throw new IllegalArgumentException("burst = " + burst + ", allowed: 1 or more");
        }
        this.intervalNanos = 1_000_000_000L / ratePerSecond;
        this.capacityNanos = Math.multiplyExact(intervalNanos, (long) burst);
        this.creditNanos = capacityNanos;
        this.refilledAtNanos = nowNanos;
    }

    /** Takes one token if there is one. A refusal takes nothing. */
    boolean tryTake(long nowNanos) {
        refill(nowNanos);
        if (creditNanos < intervalNanos) {
            return false;
        }
        creditNanos -= intervalNanos;
        return true;
    }

    /** The number of whole tokens now. */
    long available(long nowNanos) {
        refill(nowNanos);
        return creditNanos / intervalNanos;
    }

    private void refill(long nowNanos) {
        long elapsedNanos = nowNanos - refilledAtNanos;
        if (elapsedNanos > 0) {
            // Compares before it adds, so that a very long pause cannot overflow.
            creditNanos = elapsedNanos >= capacityNanos - creditNanos ? capacityNanos : creditNanos + elapsedNanos;
            refilledAtNanos = nowNanos;
        }
    }
}
