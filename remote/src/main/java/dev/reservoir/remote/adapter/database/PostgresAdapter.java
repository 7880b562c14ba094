package dev.reservoir.remote.adapter.database;

import static dev.reservoir.remote.model.RemoteErrorCode.CURSOR_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.DEADLOCK;
import static dev.reservoir.remote.model.RemoteErrorCode.OBJECT_NOT_FOUND;
import static dev.reservoir.remote.model.RemoteErrorCode.PERMISSION_DENIED;
import static dev.reservoir.remote.model.RemoteErrorCode.POOL_EXHAUSTED;
import static dev.reservoir.remote.model.RemoteErrorCode.PREPARED_STATEMENT_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.SERIALIZATION_FAILURE;
import static dev.reservoir.remote.model.RemoteErrorCode.SERVER_UNAVAILABLE;
import static dev.reservoir.remote.model.RemoteErrorCode.SSL_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.TIMEOUT;
import static dev.reservoir.remote.model.RemoteErrorCode.TRANSACTION_ABORTED;
import static dev.reservoir.remote.model.RemoteErrorCode.TYPE_CONVERSION;

import dev.reservoir.remote.adapter.jdbc.ErrorTable;
import dev.reservoir.remote.adapter.jdbc.JdbcAdapter;
import dev.reservoir.remote.model.RemoteDatabaseType;

/** PostgreSQL, with pgjdbc. */
public final class PostgresAdapter extends JdbcAdapter {
    /** The classes 08, 22, 23, 28, 40 and 42 are those of the standard. */
    static final ErrorTable ERRORS = ErrorTable.builder()
            .states(DEADLOCK, "40P01")
            .states(SERIALIZATION_FAILURE, "40001")
            .finalStates(TIMEOUT, "57014")
            .states(TIMEOUT, "55P03")
            .states(TRANSACTION_ABORTED, "25P02", "25006")
            .states(PERMISSION_DENIED, "42501")
            // Relation, column, function, other object, parameter, database, schema, savepoint.
            .states(OBJECT_NOT_FOUND, "42P01", "42703", "42883", "42704", "42P02", "3D000", "3F000", "3B001")
            .states(TYPE_CONVERSION, "42804", "42846", "42P18")
            .states(CURSOR_ERROR, "24000", "34000", "42P03")
            .states(PREPARED_STATEMENT_ERROR, "26000", "42P05")
            // Too many connections: of the server, of the database, of the role.
            .states(POOL_EXHAUSTED, "53300")
            // A configured limit, no memory, full disk. A connection that is open survives.
            .states(SERVER_UNAVAILABLE, "53400", "53200", "53100", "53000")
            // The server ends: by an administrator, by a crash, it starts, the database was dropped, too long idle.
            .deadStates(SERVER_UNAVAILABLE, "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04")
            // The driver found that the certificate names another host. The words are part of a class name.
            .words(SSL_ERROR, "HostnameVerifier")
            .build();

    public PostgresAdapter() {
        super(RemoteDatabaseType.POSTGRESQL, ERRORS, new PostgresDriver());
    }
}
