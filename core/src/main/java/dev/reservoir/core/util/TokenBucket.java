package dev.reservoir.core.util;

/**
 * A token bucket: full at first, refilled evenly, never above its burst. The caller passes the time in. A clock that
 * goes back refills nothing. Never waits. Not safe for use by several threads; its owner guards it.
 */
public final class TokenBucket {
    private final double ratePerSecond;
    private final double burst;
    private double tokens;
    private long countedNanos;

    /**
     * Starts with a full bucket.
     *
     * @param ratePerSecond tokens per second, more than 0
     * @param burst how many tokens the bucket holds, more than 0
     */
    public TokenBucket(double ratePerSecond, double burst, long nowNanos) {
        this.ratePerSecond = positive("ratePerSecond", ratePerSecond);
        this.burst = positive("burst", burst);
        this.tokens = burst;
        this.countedNanos = nowNanos;
    }

    private static double positive(String key, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(key + " is " + value + "; allowed: more than 0");
        }
        return value;
    }

    /** Takes one token if there is one. A refusal takes nothing. */
    public boolean tryTake(long nowNanos) {
        return tryTake(1, nowNanos);
    }

    /** Takes this many tokens if there are as many. A refusal takes nothing. */
    public boolean tryTake(double wanted, long nowNanos) {
        refill(nowNanos, burst);
        if (tokens < wanted) {
            return false;
        }
        tokens -= wanted;
        return true;
    }

    /** Puts back tokens that were not used, as far as the bucket has room for them. */
    public void putBack(double unused) {
        tokens = Math.min(burst, tokens + unused);
    }

    /** How many tokens there are now. A part of a token counts. */
    public double available(long nowNanos) {
        refill(nowNanos, burst);
        return tokens;
    }

    /**
     * How long the bucket takes to hold this many tokens, if nobody takes any and it has room for them. Zero if it
     * holds them already. Counts from the last refill.
     */
    public long nanosUntil(double wanted) {
        return tokens >= wanted ? 0 : (long) Math.ceil((wanted - tokens) * 1e9 / ratePerSecond);
    }

    /**
     * Adds the tokens of the time since the last refill, as long as there are fewer than {@code room}. Tokens that find
     * no room are lost. Never removes tokens.
     *
     * @param room at most the burst
     */
    public void refill(long nowNanos, double room) {
        if (nowNanos > countedNanos) {
            double gained = (nowNanos - countedNanos) * ratePerSecond / 1e9;
            tokens = Math.max(tokens, Math.min(room, tokens + gained));
            countedNanos = nowNanos;
        }
    }
}
