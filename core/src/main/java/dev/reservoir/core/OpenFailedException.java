package dev.reservoir.core;

import org.jspecify.annotations.Nullable;

/** A connect that failed for a reason its connector can name. */
public final class OpenFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final OpenFailureReason reason;
    private final boolean isWorthAnotherTry;

    /** Says why a connect failed. The message must hold no secret. */
    public OpenFailedException(OpenFailureReason reason, @Nullable String message, @Nullable Throwable cause) {
        this(reason, message, cause, false);
    }

    /**
     * The same.
     *
     * @param isWorthAnotherTry whether the next connect may succeed though the reason looks like a wrong setting: a login with a
     *     token that has been replaced since
     */
    public OpenFailedException(
            OpenFailureReason reason, @Nullable String message, @Nullable Throwable cause, boolean isWorthAnotherTry) {
        super(message, cause);
        this.reason = reason;
        this.isWorthAnotherTry = isWorthAnotherTry;
    }

    /** Whether the next connect may succeed though the reason looks like a wrong setting. */
    public boolean isWorthAnotherTry() {
        return isWorthAnotherTry;
    }

    /** Why the connect failed. */
    public OpenFailureReason reason() {
        return reason;
    }
}
