package dev.reservoir.core.kit;

import dev.reservoir.core.OpenFailureReason;

/**
 * The way in which one call to a simulated server ends.
 *
 * @param kind how it ends
 * @param afterNanos after how long it ends
 * @param reason why it fails, if it does
 */
public record Fate(Kind kind, long afterNanos, OpenFailureReason reason) {

    /** How a call ends. */
    public enum Kind {
        SUCCEED,
        FAIL,
        /** It completes with an exception that names no reason. */
        FAIL_UNNAMED,
        /** It completes with null. */
        NOTHING,
        /** It never completes by itself. */
        HANG,
        /** The call itself throws. */
        THROW,
        /** The call itself returns null. */
        NO_STAGE
    }

    public static Fate succeed(long afterNanos) {
        return new Fate(Kind.SUCCEED, afterNanos, OpenFailureReason.CONNECT);
    }

    public static Fate fail(OpenFailureReason reason, long afterNanos) {
        return new Fate(Kind.FAIL, afterNanos, reason);
    }

    public static Fate of(Kind kind) {
        return new Fate(kind, 0, OpenFailureReason.CONNECT);
    }

    public static Fate hang() {
        return of(Kind.HANG);
    }
}
