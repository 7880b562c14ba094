package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.core.util.Causes;
import dev.reservoir.remote.adapter.RemoteFailure;
import dev.reservoir.remote.model.RemoteErrorCode;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Says what the errors of one database mean. Looks at the class of an exception first, where the class leaves no doubt;
 * then at the code of the database; then at the SQLState, as a whole and by its first two characters. The table of the
 * database comes before the one of the standard. Immutable.
 */
public final class ErrorTable {
    /** What an error means, and what follows from it. */
    private record Meaning(RemoteErrorCode code, boolean retryable, boolean fatal) {}

    /**
     * Used if nothing else applies: the server understood the statement and refused it for a reason that has no code of
     * its own.
     */
    private static final Meaning REFUSED = new Meaning(RemoteErrorCode.SYNTAX_ERROR, false, false);

    /** The SQL standard, ODBC, and what several databases have in common. */
    private static final ErrorTable STANDARD = builder()
            .deadStates(RemoteErrorCode.NETWORK_ERROR, "08")
            .deadStates(RemoteErrorCode.CONNECTION_FAILED, "08001", "08004")
            .deadStates(RemoteErrorCode.PROTOCOL_ERROR, "08P01")
            .states(RemoteErrorCode.AUTHENTICATION_FAILED, "28")
            .states(RemoteErrorCode.UNSUPPORTED_VERSION, "0A")
            .states(RemoteErrorCode.TYPE_CONVERSION, "22")
            .states(RemoteErrorCode.CONSTRAINT_VIOLATION, "23", "40002", "44")
            .states(RemoteErrorCode.CURSOR_ERROR, "24", "34")
            .states(RemoteErrorCode.TRANSACTION_ABORTED, "25P02")
            .states(RemoteErrorCode.PREPARED_STATEMENT_ERROR, "26", "07")
            .states(RemoteErrorCode.OBJECT_NOT_FOUND, "3D", "3F", "42S02", "42S22")
            .states(RemoteErrorCode.SERIALIZATION_FAILURE, "40")
            .states(RemoteErrorCode.SYNTAX_ERROR, "42")
            .states(RemoteErrorCode.SERVER_UNAVAILABLE, "53")
            .finalStates(RemoteErrorCode.TIMEOUT, "HYT00", "HYT01", "HY008", "70100")
            .build();

    private final Map<Integer, Meaning> byCode;
    private final Map<String, Meaning> byState;
    private final Map<String, Meaning> byWords;

    private ErrorTable(Builder given) {
        byCode = Map.copyOf(given.byCode);
        byState = Map.copyOf(given.byState);
        byWords = Map.copyOf(given.byWords);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Says what an error means. Follows a bounded number of causes. */
    public RemoteFailure classify(SQLException error) {
        Meaning meaning = meaning(error);
        return new RemoteFailure(
                meaning.code, error.getSQLState(), error.getErrorCode(), meaning.retryable, meaning.fatal);
    }

    private Meaning meaning(SQLException error) {
        Meaning meaning = byCause(error);
        if (meaning == null) {
            meaning = byWords(error);
        }
        if (meaning == null) {
            meaning = byCode.get(error.getErrorCode());
        }
        if (meaning == null) {
            meaning = byState(error.getSQLState());
        }
        if (meaning == null) {
            meaning = STANDARD.byState(error.getSQLState());
        }
        return meaning == null ? byWeakClass(error) : meaning;
    }

    /** The classes that leave no doubt. A driver wraps the error of the network in one of its own. */
    private static @Nullable Meaning byCause(SQLException error) {
        boolean network = false;
        for (Throwable cause : Causes.of(error)) {
            if (cause instanceof SSLException) {
                return new Meaning(RemoteErrorCode.SSL_ERROR, false, true);
            }
            if (cause instanceof UnknownHostException
                    || cause instanceof ConnectException
                    || cause instanceof NoRouteToHostException) {
                return new Meaning(RemoteErrorCode.CONNECTION_FAILED, true, true);
            }
            if (cause instanceof SocketTimeoutException) {
                return new Meaning(RemoteErrorCode.TIMEOUT, true, true);
            }
            network |= cause instanceof SocketException;
        }
        if (network) {
            return new Meaning(RemoteErrorCode.NETWORK_ERROR, true, true);
        }
        if (error instanceof SQLIntegrityConstraintViolationException) {
            return new Meaning(RemoteErrorCode.CONSTRAINT_VIOLATION, false, false);
        }
        if (error instanceof SQLInvalidAuthorizationSpecException) {
            return new Meaning(RemoteErrorCode.AUTHENTICATION_FAILED, false, false);
        }
        return null;
    }

    private @Nullable Meaning byWords(SQLException error) {
        String message = String.valueOf(error.getMessage());
        for (Map.Entry<String, Meaning> words : byWords.entrySet()) {
            if (message.contains(words.getKey())) {
                return words.getValue();
            }
        }
        return null;
    }

    private @Nullable Meaning byState(@Nullable String state) {
        if (state == null) {
            return null;
        }
        Meaning whole = byState.get(state);
        return whole != null || state.length() < 2 ? whole : byState.get(state.substring(0, 2));
    }

    /** The classes that say something only if neither code nor SQLState did. */
    private static Meaning byWeakClass(SQLException error) {
        if (error instanceof SQLTimeoutException) {
            return new Meaning(RemoteErrorCode.TIMEOUT, false, false);
        }
        boolean network = error instanceof SQLRecoverableException
                || error instanceof SQLNonTransientConnectionException
                || error instanceof SQLTransientConnectionException;
        return network ? new Meaning(RemoteErrorCode.NETWORK_ERROR, true, true) : REFUSED;
    }

    /** Collects what codes and SQLStates mean. Whether a call may be repeated follows from the code of the error. */
    public static final class Builder {
        private final Map<Integer, Meaning> byCode = new HashMap<>();
        private final Map<String, Meaning> byState = new HashMap<>();
        private final Map<String, Meaning> byWords = new HashMap<>();

        private Builder() {}

        /** These codes of the database have this meaning. The connection survives. */
        public Builder codes(RemoteErrorCode meaning, int... codes) {
            return put(new Meaning(meaning, meaning.isRetryable(), false), codes);
        }

        /** These codes of the database say that the connection is dead. */
        public Builder deadCodes(RemoteErrorCode meaning, int... codes) {
            return put(new Meaning(meaning, meaning.isRetryable(), true), codes);
        }

        /** These SQLStates, or classes of two characters, have this meaning. The connection survives. */
        public Builder states(RemoteErrorCode meaning, String... states) {
            return put(new Meaning(meaning, meaning.isRetryable(), false), states);
        }

        /** These SQLStates say that the connection is dead. */
        public Builder deadStates(RemoteErrorCode meaning, String... states) {
            return put(new Meaning(meaning, true, true), states);
        }

        /** These codes have this meaning, and the same call will not succeed later. */
        public Builder finalCodes(RemoteErrorCode meaning, int... codes) {
            return put(new Meaning(meaning, false, false), codes);
        }

        /** These SQLStates have this meaning, and the same call will not succeed later. */
        public Builder finalStates(RemoteErrorCode meaning, String... states) {
            return put(new Meaning(meaning, false, false), states);
        }

        /**
         * A message with these words has this meaning. For an error that a driver finds by itself and gives no code.
         */
        public Builder words(RemoteErrorCode meaning, String words) {
            byWords.put(words, new Meaning(meaning, meaning.isRetryable(), true));
            return this;
        }

        private Builder put(Meaning meaning, int... codes) {
            for (int code : codes) {
                byCode.put(code, meaning);
            }
            return this;
        }

        private Builder put(Meaning meaning, String... states) {
            for (String state : states) {
                byState.put(state, meaning);
            }
            return this;
        }

        public ErrorTable build() {
            return new ErrorTable(this);
        }
    }
}
