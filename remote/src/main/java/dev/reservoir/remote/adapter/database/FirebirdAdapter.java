package dev.reservoir.remote.adapter.database;

import static dev.reservoir.remote.model.RemoteErrorCode.AUTHENTICATION_FAILED;
import static dev.reservoir.remote.model.RemoteErrorCode.CONNECTION_FAILED;
import static dev.reservoir.remote.model.RemoteErrorCode.CONSTRAINT_VIOLATION;
import static dev.reservoir.remote.model.RemoteErrorCode.CURSOR_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.DEADLOCK;
import static dev.reservoir.remote.model.RemoteErrorCode.NETWORK_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.OBJECT_NOT_FOUND;
import static dev.reservoir.remote.model.RemoteErrorCode.PERMISSION_DENIED;
import static dev.reservoir.remote.model.RemoteErrorCode.POOL_EXHAUSTED;
import static dev.reservoir.remote.model.RemoteErrorCode.PREPARED_STATEMENT_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.SERIALIZATION_FAILURE;
import static dev.reservoir.remote.model.RemoteErrorCode.SERVER_UNAVAILABLE;
import static dev.reservoir.remote.model.RemoteErrorCode.SSL_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.SYNTAX_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.TIMEOUT;
import static dev.reservoir.remote.model.RemoteErrorCode.TYPE_CONVERSION;
import static dev.reservoir.remote.model.RemoteErrorCode.UNSUPPORTED_VERSION;

import dev.reservoir.remote.adapter.jdbc.ErrorTable;
import dev.reservoir.remote.adapter.jdbc.JdbcAdapter;
import dev.reservoir.remote.model.RemoteDatabaseType;

/** Firebird 3 and later, with Jaybird. */
public final class FirebirdAdapter extends JdbcAdapter {
    /** The numbers are those that Firebird calls isc codes. */
    static final ErrorTable ERRORS = ErrorTable.builder()
            .finalCodes(AUTHENTICATION_FAILED, 335544472)
            // No such file, or not to be opened; unavailable; no such alias.
            .finalCodes(OBJECT_NOT_FOUND, 335544344, 335544375, 335544734)
            // Table, column, procedure, function, other object.
            .finalCodes(OBJECT_NOT_FOUND, 335544580, 335544578, 335544581, 335544396, 336003085)
            .finalCodes(SYNTAX_ERROR, 335544634, 335544851)
            .finalCodes(PERMISSION_DENIED, 335544352, 335544362, 335545033)
            .finalCodes(
                    CONSTRAINT_VIOLATION, 335544347, 335544349, 335544466, 335544558, 335544665, 335544838, 335544839)
            .finalCodes(TYPE_CONVERSION, 335544321, 335544334, 335544778, 335544779, 335544914, 335544916)
            .finalCodes(CURSOR_ERROR, 335544502, 335544574, 335544577)
            .codes(PREPARED_STATEMENT_ERROR, 335544327, 335544485)
            .codes(DEADLOCK, 335544336)
            // Update conflict; a concurrent transaction changed the row.
            .codes(SERIALIZATION_FAILURE, 335544451, 335544878)
            // A lock was not free, at once or in time.
            .codes(TIMEOUT, 335544345, 335544510)
            .finalCodes(TIMEOUT, 335544794)
            .codes(SERVER_UNAVAILABLE, 335544528)
            // Too many connections.
            .codes(POOL_EXHAUSTED, 335544744)
            // An administrator ended the connection or the server.
            .deadCodes(SERVER_UNAVAILABLE, 335544856)
            .deadCodes(CONNECTION_FAILED, 335544721, 335544722, 335544723)
            .deadCodes(NETWORK_ERROR, 335544648, 335544726, 335544727, 335544741, 335544324)
            .finalCodes(UNSUPPORTED_VERSION, 335544379)
            // Client and server do not agree on encryption.
            .finalCodes(SSL_ERROR, 335545064)
            .build();

    public FirebirdAdapter() {
        super(RemoteDatabaseType.FIREBIRD, ERRORS, new FirebirdDriver());
    }
}
