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
import static dev.reservoir.remote.model.RemoteErrorCode.PROTOCOL_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.SERIALIZATION_FAILURE;
import static dev.reservoir.remote.model.RemoteErrorCode.SERVER_UNAVAILABLE;
import static dev.reservoir.remote.model.RemoteErrorCode.SSL_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.SYNTAX_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.TIMEOUT;
import static dev.reservoir.remote.model.RemoteErrorCode.TYPE_CONVERSION;

import dev.reservoir.remote.adapter.jdbc.ErrorTable;
import dev.reservoir.remote.adapter.jdbc.JdbcAdapter;
import dev.reservoir.remote.model.RemoteDatabaseType;

/** MySQL and MariaDB, with Connector/J or with MariaDB's driver. */
public final class MySqlAdapter extends JdbcAdapter {
    /** Both servers use the same codes. Connector/J has codes of the C library for errors that it finds by itself. */
    static final ErrorTable ERRORS = ErrorTable.builder()
            // Wrong password, unknown user, host not allowed, plugin refused, password expired, account locked.
            .finalCodes(AUTHENTICATION_FAILED, 1045, 1130, 1251, 1275, 1524, 1698, 1820, 1862, 3118, 4151)
            .finalCodes(PERMISSION_DENIED, 1044, 1142, 1143, 1227, 1370, 1410, 1419, 1792, 1836, 1290)
            // Database, table, column, function or procedure, savepoint, key.
            .finalCodes(OBJECT_NOT_FOUND, 1049, 1051, 1054, 1109, 1146, 1305, 1091, 1176, 1193)
            .finalCodes(SYNTAX_ERROR, 1064, 1149)
            .finalCodes(CONSTRAINT_VIOLATION, 1022, 1048, 1062, 1169, 1216, 1217, 1364, 1451, 1452, 1557, 3819, 4025)
            .finalCodes(TYPE_CONVERSION, 1264, 1265, 1292, 1366, 1367, 1406, 1411, 1525, 1690)
            .finalCodes(CURSOR_ERROR, 1324, 1325, 1326)
            .codes(PREPARED_STATEMENT_ERROR, 1243, 1461, 1615)
            .codes(DEADLOCK, 1213)
            // The row changed since the snapshot; the table changed since the snapshot.
            .codes(SERIALIZATION_FAILURE, 1020, 1412)
            // Lock wait; cancelled.
            .codes(TIMEOUT, 1205, 1317)
            // max_statement_time of MariaDB, max_execution_time of MySQL.
            .finalCodes(TIMEOUT, 1969, 3024)
            // Too many connections: of the server, of the user, per hour.
            .codes(POOL_EXHAUSTED, 1040, 1203, 1226)
            // The server shuts down; it killed this connection; it was idle for too long.
            .deadCodes(SERVER_UNAVAILABLE, 1053, 1927, 4031)
            .deadCodes(CONNECTION_FAILED, 2002, 2003)
            .deadCodes(NETWORK_ERROR, 2006, 2013, 1152, 1158, 1159, 1160, 1161, 1184)
            .deadCodes(PROTOCOL_ERROR, 1043, 1047, 1835)
            // The server accepts no connection without TLS.
            .finalCodes(SSL_ERROR, 3159)
            .build();

    public MySqlAdapter() {
        super(RemoteDatabaseType.MYSQL, ERRORS, new ConnectorJDriver(), new MariaDbDriver());
    }
}
