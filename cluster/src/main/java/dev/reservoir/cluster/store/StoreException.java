package dev.reservoir.cluster.store;

import org.jspecify.annotations.Nullable;

/** A call to a store that was not answered, or was answered with an error. Its message contains no secret. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final long storeSeconds;

    /** The reason for the failure. */
    public enum Kind {
        /** Too many calls. The write was not applied. A later attempt may succeed. */
        THROTTLED(false),
        /** Another transaction had the same items. The write was not applied. A second attempt may succeed. */
        CONFLICT(false),
        /** No answer, or none that says anything. It is unknown whether the write was applied. */
        UNAVAILABLE(true),
        /**
         * The store refuses this caller, has no such table, or does not understand the call. The write was not applied,
         * and another attempt will not succeed either.
         */
        REFUSED(false);

        private final boolean mayBeDone;

        Kind(boolean mayBeDone) {
            this.mayBeDone = mayBeDone;
        }

        /** Whether the write may have been applied all the same. */
        public boolean mayBeDone() {
            return mayBeDone;
        }
    }

    /** A failure that is not the store's answer. */
    public StoreException(Kind kind, String message) {
        this(kind, message, -1, null);
    }

    public StoreException(Kind kind, String message, long storeSeconds, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.storeSeconds = storeSeconds;
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the store's clock when it answered with this error, in seconds since 1970; -1 if it did not answer. */
    public long storeSeconds() {
        return storeSeconds;
    }
}
