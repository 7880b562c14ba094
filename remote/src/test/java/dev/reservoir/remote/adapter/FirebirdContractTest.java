package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.testserver.FirebirdServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The contract of the adapters on Firebird 3, and what only Firebird does. */
class FirebirdContractTest extends AdapterContract {
    private FirebirdServer firebird;

    @Override
    ContractServer startServer() throws Exception {
        FirebirdServer.assumeInstalled();
        firebird = FirebirdServer.start();
        String database = firebird.createDatabase("contract");
        String url = "jdbc:firebird://127.0.0.1:" + firebird.port() + "/" + database + "?encoding=UTF8";
        try (Connection connection = DriverManager.getConnection(url, FirebirdServer.USER, FirebirdServer.PASSWORD);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER LIMITED PASSWORD '" + FirebirdServer.PASSWORD + "'");
            statement.execute("CREATE GLOBAL TEMPORARY TABLE leftover (x INTEGER) ON COMMIT PRESERVE ROWS");
        }
        return new ContractServer(
                RemoteDatabaseType.FIREBIRD,
                "firebird",
                firebird.port(),
                database,
                FirebirdServer.USER,
                FirebirdServer.PASSWORD,
                database.replace("contract.fdb", "missing.fdb"),
                true,
                "SELECT COUNT(*) FROM RDB$TYPES a, RDB$TYPES b, RDB$TYPES c, RDB$TYPES d",
                "SELECT CURRENT_CONNECTION FROM RDB$DATABASE",
                "DELETE FROM MON$ATTACHMENTS WHERE MON$ATTACHMENT_ID = %s",
                "EXECUTE BLOCK AS BEGIN RDB$SET_CONTEXT('USER_SESSION', 'colour', 'red'); END",
                "SELECT RDB$GET_CONTEXT('USER_SESSION', 'colour') FROM RDB$DATABASE",
                "INSERT INTO leftover VALUES (1)");
    }

    @AfterAll
    void stop() {
        if (firebird != null) {
            firebird.close();
        }
    }

    @Test
    void aSessionWithVariablesOrTemporaryRowsIsToBeReplaced() throws Exception {
        assertThat(session.capabilities()).doesNotContain(Capability.RESET);
        assertThat(session.reset()).isEqualTo(ResetResult.CLEAN);
        session.update(server.setting());
        assertThat(session.reset()).isEqualTo(ResetResult.REPLACE);
        session.update("EXECUTE BLOCK AS BEGIN RDB$SET_CONTEXT('USER_SESSION', 'colour', NULL); END");
        assertThat(session.reset()).isEqualTo(ResetResult.CLEAN);
        session.update("INSERT INTO leftover VALUES (1)");
        assertThat(session.reset()).isEqualTo(ResetResult.REPLACE);
    }

    /** Firebird reports a conflict of two snapshots with the same code as a deadlock. */
    @Test
    void twoSnapshotsThatChangeTheSameRowConflict() throws Exception {
        try (AdapterSession other =
                adapter.connect(server.definition().build(), server.admin(), Duration.ofSeconds(20))) {
            session.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            session.begin();
            session.query("SELECT * FROM parent");
            other.update("UPDATE parent SET name = 'one' WHERE id = 1");
            assertThat(fails(
                                    RemoteErrorCode.DEADLOCK,
                                    () -> session.update("UPDATE parent SET name = 'one' WHERE id = 1"))
                            .isRetryable())
                    .isTrue();
        }
    }
}
