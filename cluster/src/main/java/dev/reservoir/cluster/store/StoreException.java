package dev.reservoir.cluster.store;

import org.jspecify.annotations.Nullable;

/** A call to a store that was not answered, or answered with an error. Its message holds no secret. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final long storeSeconds;

    /** Why there was no good answer. */
    public enum Kind {
        /** Too many calls: nothing was done. Later it may be. */
        THROTTLED(false),
        /** Another transaction had the same items: nothing was done. A second try may succeed. */
        CONFLICT(false),
        /** No answer, or none that says anything: whether something was done is not known. */
        UNAVAILABLE(true),
        /** The store refuses this caller, has no such table, or does not understand: nothing was done, nor will it be. */
        REFUSED(false);

        private final boolean mayBeDone;

        Kind(boolean mayBeDone) {
            this.mayBeDone = mayBeDone;
        }

        /** Whether the write may have been done all the same. */
        public boolean mayBeDone() {
            return mayBeDone;
        }
    }

    public StoreException(Kind kind, String message, long storeSeconds, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.storeSeconds = storeSeconds;
    }

    public Kind kind() {
        return kind;
    }

    /** The store's clock when it answered with this error, in seconds since 1970; -1 if it did not. */
    public long storeSeconds() {
        return storeSeconds;
    }
}
