package dev.reservoir.remote.model;

import org.jspecify.annotations.Nullable;

/** The errors of the registry. Each has a code that stays the same whatever the database is. */
public enum RemoteErrorCode {
    CONNECTION_FAILED(1, "connection failed", "08001", true),
    AUTHENTICATION_FAILED(2, "authentication failed", "28000", false),
    SSL_ERROR(3, "TLS error", "08001", false),
    TIMEOUT(4, "timeout", "57014", true),
    POOL_EXHAUSTED(5, "pool exhausted", "53300", true),
    SERVER_UNAVAILABLE(6, "server unavailable", "08001", true),
    NETWORK_ERROR(7, "network error", "08006", true),
    PROTOCOL_ERROR(8, "protocol error", "08P01", false),
    UNSUPPORTED_VERSION(9, "unsupported version", "0A000", false),
    SYNTAX_ERROR(10, "syntax error", "42601", false),
    PERMISSION_DENIED(11, "permission denied", "42501", false),
    OBJECT_NOT_FOUND(12, "object not found", "42P01", false),
    TYPE_CONVERSION(13, "type conversion failed", "22018", false),
    CURSOR_ERROR(15, "cursor error", "34000", false),
    PREPARED_STATEMENT_ERROR(16, "prepared statement error", "26000", false),
    DEADLOCK(20, "deadlock", "40P01", true),
    SERIALIZATION_FAILURE(21, "serialization failure", "40001", true),
    CONSTRAINT_VIOLATION(22, "constraint violation", "23000", false),
    TRANSACTION_ABORTED(23, "transaction aborted", "25P02", false),
    SERVER_NOT_FOUND(30, "server not found", "42704", false),
    USER_MAPPING_NOT_FOUND(31, "user mapping not found", "42704", false),
    INVALID_OPTION(32, "invalid option", "22023", false);

    private final String code;
    private final String title;
    private final String sqlState;
    private final boolean retryable;

    RemoteErrorCode(int number, String title, String sqlState, boolean retryable) {
        this.code = number < 10 ? "RD00" + number : "RD0" + number;
        this.title = title;
        this.sqlState = sqlState;
        this.retryable = retryable;
    }

    /** The code, such as {@code RD005}. */
    public String code() {
        return code;
    }

    /** The meaning in a few words, such as {@code pool exhausted}. */
    public String title() {
        return title;
    }

    /** The SQLState of an error that has none of the database's own. */
    public String sqlState() {
        return sqlState;
    }

    /** Whether the same call may succeed later, unless the error itself says otherwise. */
    public boolean isRetryable() {
        return retryable;
    }

    /** The constant of a code such as {@code RD005}. Returns null if there is none. */
    public static @Nullable RemoteErrorCode of(String code) {
        for (RemoteErrorCode one : values()) {
            if (one.code.equals(code)) {
                return one;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return code;
    }
}
