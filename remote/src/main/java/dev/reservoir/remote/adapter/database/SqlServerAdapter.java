package dev.reservoir.remote.adapter.database;

import static dev.reservoir.remote.model.RemoteErrorCode.AUTHENTICATION_FAILED;
import static dev.reservoir.remote.model.RemoteErrorCode.CONSTRAINT_VIOLATION;
import static dev.reservoir.remote.model.RemoteErrorCode.CURSOR_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.DEADLOCK;
import static dev.reservoir.remote.model.RemoteErrorCode.NETWORK_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.OBJECT_NOT_FOUND;
import static dev.reservoir.remote.model.RemoteErrorCode.PERMISSION_DENIED;
import static dev.reservoir.remote.model.RemoteErrorCode.PREPARED_STATEMENT_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.SERIALIZATION_FAILURE;
import static dev.reservoir.remote.model.RemoteErrorCode.SERVER_UNAVAILABLE;
import static dev.reservoir.remote.model.RemoteErrorCode.SYNTAX_ERROR;
import static dev.reservoir.remote.model.RemoteErrorCode.TIMEOUT;
import static dev.reservoir.remote.model.RemoteErrorCode.TRANSACTION_ABORTED;
import static dev.reservoir.remote.model.RemoteErrorCode.TYPE_CONVERSION;

import dev.reservoir.remote.adapter.jdbc.ErrorTable;
import dev.reservoir.remote.adapter.jdbc.JdbcAdapter;
import dev.reservoir.remote.model.RemoteDatabaseType;

/** SQL Server, with Microsoft's driver. */
public final class SqlServerAdapter extends JdbcAdapter {
    /** The SQLStates of SQL Server say little, so its numbers decide. */
    static final ErrorTable ERRORS = ErrorTable.builder()
            // Login failed, no trust, only administrators, account disabled or locked, password expired.
            .finalCodes(AUTHENTICATION_FAILED, 18456, 18452, 18450, 18461, 18470, 18486, 18487, 18488)
            .finalCodes(PERMISSION_DENIED, 229, 230, 262, 297, 300, 916, 3704, 5011, 15247)
            // Database, table, column, procedure, constraint.
            .finalCodes(OBJECT_NOT_FOUND, 4060, 911, 208, 207, 2812, 3701, 3728, 4902, 4064)
            .finalCodes(SYNTAX_ERROR, 102, 103, 105, 156, 170, 319)
            .finalCodes(CONSTRAINT_VIOLATION, 515, 547, 2601, 2627)
            .finalCodes(
                    TYPE_CONVERSION, 206, 220, 232, 241, 242, 244, 245, 248, 529, 2628, 8114, 8115, 8134, 8152, 8169)
            .finalCodes(CURSOR_ERROR, 16915, 16916, 16917)
            .codes(PREPARED_STATEMENT_ERROR, 586, 8178, 8179)
            .codes(DEADLOCK, 1205)
            .codes(SERIALIZATION_FAILURE, 3960, 3961, 41302, 41305, 41325)
            .codes(TIMEOUT, 1222)
            .finalCodes(TRANSACTION_ABORTED, 3930, 3998)
            // The server or the cloud is busy, moves the database, or has too many connections.
            .codes(SERVER_UNAVAILABLE, 10928, 10929, 17809, 40197, 40501, 40613, 49918, 49919, 49920, 17142)
            // It killed this session; it shuts down.
            .deadCodes(SERVER_UNAVAILABLE, 596, 6002, 6005)
            .deadCodes(NETWORK_ERROR, 64, 121, 233, 10053, 10054, 10060)
            .build();

    public SqlServerAdapter() {
        super(RemoteDatabaseType.MSSQL, ERRORS, new SqlServerDriver());
    }
}
