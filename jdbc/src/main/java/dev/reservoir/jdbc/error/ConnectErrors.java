package dev.reservoir.jdbc.error;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.Text;
import dev.reservoir.jdbc.ConnectErrorRule;
import dev.reservoir.jdbc.log.Secrets;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells why a connect failed, from the exception of the driver. Gives a reason that the engine acts on, a text, and the
 * exception that a caller of {@code getConnection} gets. Never changes an exception of the driver. Looks at a bounded
 * number of causes, so a chain may be circular.
 */
public final class ConnectErrors {
    /**
     * SQL Server's driver keeps no cause. For an unknown host it repeats the name of the host where it quotes the
     * error.
     */
    private static final Pattern UNKNOWN_TO_SQL_SERVER =
            Pattern.compile("to the host ([^ ,]+), port [0-9]+ has failed\\. error: \"\\1[.:] ");

    private ConnectErrors() {}

    /** Returns the reason that this rule gives, otherwise that of the standard rules. */
    public static OpenFailureReason reason(SQLException error, @Nullable ConnectErrorRule rule) {
        OpenFailureReason reason = rule == null ? null : reasonBy(rule, error);
        return reason == null ? reason(error) : reason;
    }

    /**
     * A rule that fails knows no reason. Its exception may quote the driver, and with it a secret, so it goes no
     * further.
     */
    private static @Nullable OpenFailureReason reasonBy(ConnectErrorRule rule, SQLException error) {
        try {
            return rule.reason(error);
        } catch (RuntimeException e) {
            return null;
        }
    }

    /**
     * Returns the reason by the standard rules. The outermost exception whose SQLState or vendor code gives a reason
     * decides. If there is none, the messages or the causes decide: an unknown host, or a wait that was too long.
     * Everything else is a failed connect, including a server that is starting (57P03).
     */
    public static OpenFailureReason reason(SQLException error) {
        OpenFailureReason reason = OpenFailureReason.CONNECT;
        for (Throwable t : Causes.of(error)) {
            OpenFailureReason byCode = t instanceof SQLException e ? byCode(e) : null;
            if (byCode != null) {
                return byCode;
            }
            if (t instanceof UnknownHostException) {
                reason = OpenFailureReason.UNKNOWN_HOST;
            } else if (t instanceof SocketTimeoutException || t instanceof SQLTimeoutException) {
                reason = OpenFailureReason.CONNECT_TIMEOUT;
            } else if (t instanceof SQLException e) {
                OpenFailureReason byWords = byWords(e);
                reason = byWords == null ? reason : byWords;
            }
        }
        return reason;
    }

    private static @Nullable OpenFailureReason byCode(SQLException error) {
        String state = error.getSQLState() == null ? "" : error.getSQLState();
        // The class of the standard for logins. All servers except SQL Server use it.
        if (state.startsWith("28")) {
            return OpenFailureReason.AUTHENTICATION;
        }
        OpenFailureReason reason = switch (state) {
            case "3D000" -> OpenFailureReason.UNKNOWN_DATABASE;
            case "53300" -> OpenFailureReason.SERVER_FULL;
            case "53400" -> OpenFailureReason.SERVER_RATE;
            // MySQL and MariaDB. Other servers use the same codes with other states.
            case "42000", "08004", "HY000" -> ofMySql(error);
            default -> byVendorCode(error.getErrorCode());
        };
        return reason == null && error instanceof SQLInvalidAuthorizationSpecException
                ? OpenFailureReason.AUTHENTICATION
                : reason;
    }

    private static @Nullable OpenFailureReason ofMySql(SQLException error) {
        return switch (error.getErrorCode()) {
            // Too many connections; max_user_connections, of the account and of the server.
            case 1040, 1203 -> OpenFailureReason.SERVER_FULL;
            case 1226 ->
                lowerCase(error).contains("per_hour") ? OpenFailureReason.SERVER_RATE : OpenFailureReason.SERVER_FULL;
            // Access denied: to the database, to the server, from this host, without a password.
            case 1044, 1045, 1130, 1698 -> OpenFailureReason.AUTHENTICATION;
            case 1049 -> OpenFailureReason.UNKNOWN_DATABASE;
            default -> byVendorCode(error.getErrorCode());
        };
    }

    /** Codes that no other server uses for something else, of servers whose SQLState says less. */
    private static @Nullable OpenFailureReason byVendorCode(int code) {
        return switch (code) {
            // SQL Server: login failed, no trust, account disabled or locked, password expired.
            case 18456, 18452, 18470, 18486, 18487, 18488 -> OpenFailureReason.AUTHENTICATION;
            case 4060 -> OpenFailureReason.UNKNOWN_DATABASE;
            // Firebird: isc_login; isc_io_error, which it returns when the file of the database cannot be opened.
            case 335544472 -> OpenFailureReason.AUTHENTICATION;
            case 335544344 -> OpenFailureReason.UNKNOWN_DATABASE;
            default -> null;
        };
    }

    /** For two errors that drivers detect by themselves, without a reliable SQLState and without a cause. */
    private static @Nullable OpenFailureReason byWords(SQLException error) {
        String text = lowerCase(error);
        if ("08004".equals(error.getSQLState()) && text.contains("no password was provided")) {
            return OpenFailureReason.AUTHENTICATION;
        }
        return UNKNOWN_TO_SQL_SERVER.matcher(text).find() ? OpenFailureReason.UNKNOWN_HOST : null;
    }

    private static String lowerCase(SQLException error) {
        String message = error.getMessage();
        return message == null ? "" : message.toLowerCase(Locale.ROOT);
    }

    /**
     * Returns one line for messages and logs: SQLState, vendor code if there is one, the message of the server or the
     * driver, the root cause if it is not a {@link SQLException}, and the host. Masks secrets in URLs. The caller must
     * remove other secrets before, by {@link Secrets#clean(SQLException, String, String)}.
     *
     * @param host the host of the connect, as {@link UrlHost#withPort} returns it; may be empty
     */
    public static String describe(SQLException error, String host) {
        StringBuilder text = new StringBuilder();
        String state = error.getSQLState();
        if (state != null && !state.isBlank()) {
            text.append(state);
        }
        if (error.getErrorCode() != 0) {
            text.append(text.isEmpty() ? "" : "/").append(error.getErrorCode());
        }
        String words = Text.words(error);
        text.append(text.isEmpty() ? "" : " ").append(words);
        Throwable root = Causes.root(error);
        String below = root.getMessage();
        if (!(root instanceof SQLException) && (below == null || !words.contains(below))) {
            text.append(" (").append(root.getClass().getSimpleName());
            text.append(below == null ? ")" : ": " + Text.shortLine(below) + ")");
        }
        return Secrets.maskUrl(text.toString()) + (host.isEmpty() ? "" : " (" + host + ")");
    }

    /**
     * Returns the outermost {@link SQLException} among the error and its causes, which is the one that the driver
     * threw. Returns null if there is none.
     */
    public static @Nullable SQLException sqlCause(@Nullable Throwable error) {
        for (Throwable t : Causes.of(error)) {
            if (t instanceof SQLException e) {
                return e;
            }
        }
        return null;
    }

    /**
     * Returns the exception for a caller of {@code getConnection}. If failed connects are the reason, it has the
     * SQLState and the vendor code of the driver's exception. That exception is its next exception and among its
     * causes.
     */
    public static SQLException refusal(NoConnectionException refused) {
        if (refused.why() == NoConnectionException.Why.CLOSED) {
            return new SQLNonTransientConnectionException(refused.getMessage(), "08003", refused.getCause());
        }
        SQLException ofDriver = sqlCause(refused.getCause());
        String state = ofDriver == null || ofDriver.getSQLState() == null ? "08001" : ofDriver.getSQLState();
        int code = ofDriver == null ? 0 : ofDriver.getErrorCode();
        SQLException refusal = refused.why() == NoConnectionException.Why.MISCONFIGURED
                ? new SQLNonTransientConnectionException(refused.getMessage(), state, code, refused.getCause())
                : new SQLTransientConnectionException(refused.getMessage(), state, code, refused.getCause());
        if (ofDriver != null) {
            refusal.setNextException(ofDriver);
        }
        return refusal;
    }
}
