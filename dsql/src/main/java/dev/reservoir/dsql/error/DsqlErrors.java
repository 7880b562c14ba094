package dev.reservoir.dsql.error;

import dev.reservoir.core.util.Causes;
import java.io.EOFException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Locale;
import java.util.Objects;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Classifies the errors of Aurora DSQL. It examines the exception, its causes and the exceptions that
 * {@link SQLException#getNextException} adds, and uses the first one that it recognizes. So it also recognizes an
 * exception that a framework has wrapped.
 *
 * <p>The SQLSTATE takes precedence over the message, because three different refusals share the words "unable to accept
 * connection". Never blocks, and always terminates, even if a chain of exceptions is circular.
 */
public final class DsqlErrors {
    /** Most exceptions examined along {@link SQLException#getNextException}: each row of a long batch may fail. */
    private static final int NEXT_MAX = 1_000;

    private DsqlErrors() {}

    /** Returns the kind of this error, or {@link ErrorKind#PERMANENT} if it is not recognized. Does not block. */
    public static ErrorKind classify(Throwable error) {
        return of(error).kind();
    }

    /** Whether the whole transaction may be run again, provided that it was not being committed. Does not block. */
    public static boolean isRetryable(Throwable error) {
        return of(error).isRetryable();
    }

    /** Returns the limit that was reached, or null if the error is of another kind. Does not block. */
    public static @Nullable Limit limit(Throwable error) {
        return of(error).limit();
    }

    /** Classifies this error. Does not block. */
    public static DsqlError of(Throwable error) {
        for (Throwable cause : Causes.of(error)) {
            DsqlError known = ofOne(cause);
            if (known == null && cause instanceof SQLException sql) {
                known = ofNext(sql.getNextException());
            }
            if (known != null) {
                return known;
            }
        }
        return new DsqlError(ErrorKind.PERMANENT, null, outermostState(error));
    }

    private static @Nullable DsqlError ofNext(@Nullable SQLException first) {
        SQLException next = first;
        for (int i = 0; i < NEXT_MAX && next != null; i++) {
            DsqlError known = ofOne(next);
            if (known != null) {
                return known;
            }
            next = next.getNextException();
        }
        return null;
    }

    private static @Nullable String outermostState(Throwable error) {
        for (Throwable cause : Causes.of(error)) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return null;
    }

    /** Classifies this exception alone, without its causes. Returns null if it is not recognized. */
    private static @Nullable DsqlError ofOne(Throwable error) {
        if (error instanceof ConditionFailedException) {
            return new DsqlError(ErrorKind.CONDITION_FAILED, null, null);
        }
        if (isBrokenSocket(error)) {
            return new DsqlError(ErrorKind.CONNECTION, null, null);
        }
        if (!(error instanceof SQLException sql)) {
            return null;
        }
        String state = sql.getSQLState();
        String message = String.valueOf(sql.getMessage()).toLowerCase(Locale.ROOT);
        if (state != null && state.length() == 5) {
            return ofState(state, message);
        }
        return ofMessage(message, sql);
    }

    private static @Nullable DsqlError ofState(String state, String message) {
        return switch (state) {
            case "40001" -> error(message.contains("(oc001)") ? ErrorKind.SCHEMA_CHANGED : ErrorKind.CONFLICT, state);
            case "40P01" -> error(ErrorKind.CONFLICT, state);
            case "0A000" -> error(ErrorKind.UNSUPPORTED, state);
            case "53400" -> limit(Limit.RATE, state);
            case "53300" -> limit(Limit.COUNT, state);
            case "53200" -> limit(Limit.MEMORY, state);
            case "54000" -> limit(limitOfTransaction(message), state);
            case "XX000" ->
                error(message.contains("server unavailable") ? ErrorKind.UNAVAILABLE : ErrorKind.PERMANENT, state);
            // The server reports this for every statement after the one that failed. The cause is the first failure.
            case "25P02" -> null;
            case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04" -> error(ErrorKind.CONNECTION, state);
            default -> ofClass(state, message);
        };
    }

    private static DsqlError ofClass(String state, String message) {
        return switch (state.substring(0, 2)) {
            case "28" -> error(ErrorKind.AUTH, state);
            case "08" -> Objects.requireNonNullElse(refusal(message, state), error(ErrorKind.CONNECTION, state));
            case "54" -> limit(Limit.OTHER, state);
            default -> error(ErrorKind.PERMANENT, state);
        };
    }

    private static Limit limitOfTransaction(String message) {
        if (message.contains("row limit")) {
            return Limit.ROWS;
        }
        if (message.contains("size limit")) {
            return Limit.SIZE;
        }
        return message.contains("age limit") ? Limit.AGE : Limit.OTHER;
    }

    private static @Nullable DsqlError ofMessage(String message, SQLException error) {
        if (message.contains("(oc000)")) {
            return error(ErrorKind.CONFLICT, null);
        }
        if (message.contains("(oc001)")) {
            return error(ErrorKind.SCHEMA_CHANGED, null);
        }
        DsqlError refusal = refusal(message, null);
        if (refusal != null) {
            return refusal;
        }
        boolean lost = error instanceof SQLRecoverableException
                || error instanceof SQLNonTransientConnectionException
                || error instanceof SQLTransientConnectionException;
        return lost ? error(ErrorKind.CONNECTION, null) : null;
    }

    /** Recognizes DSQL's messages for a refused connect. */
    private static @Nullable DsqlError refusal(String message, @Nullable String state) {
        if (!message.contains("unable to accept connection")) {
            return null;
        }
        if (message.contains("access denied")) {
            return error(ErrorKind.AUTH, state);
        }
        if (message.contains("rate exceeded")) {
            return limit(Limit.RATE, state);
        }
        return message.contains("too many open connections") ? limit(Limit.COUNT, state) : null;
    }

    private static DsqlError error(ErrorKind kind, @Nullable String state) {
        return new DsqlError(kind, null, state);
    }

    private static DsqlError limit(Limit limit, @Nullable String state) {
        return new DsqlError(ErrorKind.LIMIT, limit, state);
    }

    private static boolean isBrokenSocket(Throwable error) {
        return error instanceof SocketException
                || error instanceof SocketTimeoutException
                || error instanceof EOFException
                || error instanceof ClosedChannelException
                || error instanceof SSLException;
    }
}
