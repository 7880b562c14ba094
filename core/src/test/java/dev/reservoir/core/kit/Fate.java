package dev.reservoir.core.kit;

import dev.reservoir.core.OpenFailureReason;

/**
 * What becomes of one call to a pretended server.
 *
 * @param kind how it ends
 * @param afterNanos after how long
 * @param reason why it fails, if it does
 */
public record Fate(Kind kind, long afterNanos, OpenFailureReason reason) {

    /** How a call ends. */
    public enum Kind {
        SUCCEED,
        FAIL,
        /** Completes with an exception that names no reason. */
        FAIL_UNNAMED,
        /** Completes with null. */
        NOTHING,
        /** Never completes by itself. */
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
