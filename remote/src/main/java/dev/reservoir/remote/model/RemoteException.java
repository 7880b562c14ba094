package dev.reservoir.remote.model;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * An error of the registry or of a remote server. Its message begins with the code. SQLState and vendor code are those
 * of the database's error if there is one. No caller passes a secret in the message.
 */
public class RemoteException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final RemoteErrorCode code;
    private final boolean retryable;

    public RemoteException(RemoteErrorCode code, String message) {
        this(code, message, null);
    }

    /** An error with a cause. SQLState and vendor code are the cause's if it is an {@code SQLException} with both. */
    public RemoteException(RemoteErrorCode code, String message, @Nullable Throwable cause) {
        this(code, message, cause, code.isRetryable());
    }

    /** An error for which somebody knows better than the code whether the same call may succeed later. */
    public RemoteException(RemoteErrorCode code, String message, @Nullable Throwable cause, boolean retryable) {
        super(code.code() + ": " + message, sqlState(code, cause), vendorCode(cause), cause);
        this.code = code;
        this.retryable = retryable;
    }

    /** A value of an option that is not allowed. The caller must not pass a secret. */
    public static RemoteException invalidOption(String option, Object value, String allowed) {
        return new RemoteException(
                RemoteErrorCode.INVALID_OPTION, "option " + option + " is '" + value + "'; allowed: " + allowed);
    }

    /** An option that was not given and is required. */
    public static RemoteException missingOption(String option, String allowed) {
        return new RemoteException(
                RemoteErrorCode.INVALID_OPTION, "option " + option + " is missing; allowed: " + allowed);
    }

    /** The message without the code. */
    public final String detail() {
        String message = String.valueOf(getMessage());
        String prefix = code.code() + ": ";
        return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
    }

    public final RemoteErrorCode code() {
        return code;
    }

    /** Whether the same call may succeed later. */
    public final boolean isRetryable() {
        return retryable;
    }

    private static String sqlState(RemoteErrorCode code, @Nullable Throwable cause) {
        String state = cause instanceof SQLException original ? original.getSQLState() : null;
        return state == null ? code.sqlState() : state;
    }

    private static int vendorCode(@Nullable Throwable cause) {
        return cause instanceof SQLException original ? original.getErrorCode() : 0;
    }
}
