package dev.reservoir.core;

import org.jspecify.annotations.Nullable;

/** A connect that failed for a reason its connector can name. */
public final class OpenFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final OpenFailureReason reason;

    /** Says why a connect failed. The message must hold no secret. */
    public OpenFailedException(OpenFailureReason reason, @Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Why the connect failed. */
    public OpenFailureReason reason() {
        return reason;
    }
}
