package dev.reservoir.core;

import org.jspecify.annotations.Nullable;

/** Reports a failed connect whose reason the connector knows. */
public final class OpenFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final OpenFailureReason reason;
    private final boolean isWorthAnotherTry;

    /** Creates a failure that a later connect is not expected to overcome. The message must not contain a secret. */
    public OpenFailedException(OpenFailureReason reason, @Nullable String message, @Nullable Throwable cause) {
        this(reason, message, cause, false);
    }

    /**
     * Creates a failure. The message must not contain a secret.
     *
     * @param isWorthAnotherTry whether the next connect may succeed although the reason looks like a wrong setting, for
     *     example a login with a token that has been replaced since
     */
    public OpenFailedException(
            OpenFailureReason reason, @Nullable String message, @Nullable Throwable cause, boolean isWorthAnotherTry) {
        super(message, cause);
        this.reason = reason;
        this.isWorthAnotherTry = isWorthAnotherTry;
    }

    /** Whether the next connect may succeed although the reason looks like a wrong setting. */
    public boolean isWorthAnotherTry() {
        return isWorthAnotherTry;
    }

    /** The reason why the connect failed. */
    public OpenFailureReason reason() {
        return reason;
    }
}
