package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The contract of the adapters on PostgreSQL, and what only PostgreSQL does. */
class PostgresContractTest extends AdapterContract {
    private LocalPostgres postgres;

    @Override
    ContractServer startServer() throws Exception {
        postgres = LocalPostgres.start();
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE limited LOGIN PASSWORD '" + postgres.password() + "'");
        }
        return onPostgres(postgres, RemoteDatabaseType.POSTGRESQL);
    }

    static ContractServer onPostgres(LocalPostgres postgres, RemoteDatabaseType type) {
        return new ContractServer(
                type,
                type.label(),
                postgres.port(),
                LocalPostgres.DATABASE,
                LocalPostgres.USER,
                postgres.password(),
                "missing_database",
                false,
                "SELECT pg_sleep(30)",
                "SELECT pg_backend_pid()",
                "SELECT pg_terminate_backend(%s)",
                "SET work_mem = '7MB'",
                "SHOW work_mem",
                "CREATE TEMP TABLE leftover (x INTEGER);INSERT INTO leftover VALUES (1)");
    }

    @AfterAll
    void stop() {
        postgres.close();
    }

    @Test
    void anAbortedTransactionIsKnownAndACommitOfItFails() throws Exception {
        session.begin();
        fails(RemoteErrorCode.OBJECT_NOT_FOUND, () -> session.query("SELECT * FROM missing_table"));
        assertThat(session.transactionState()).isEqualTo(TransactionState.ABORTED);
        fails(RemoteErrorCode.TRANSACTION_ABORTED, () -> session.query("SELECT 1"));
        fails(RemoteErrorCode.TRANSACTION_ABORTED, () -> session.commit());
        assertThat(session.transactionState()).isEqualTo(TransactionState.NONE);
    }

    @Test
    void aTransactionThatWasBegunByAStatementIsRolledBackOnRelease() throws Exception {
        session.update("BEGIN");
        session.update("INSERT INTO parent (id, name) VALUES (30, 'thirty')");
        assertThat(session.transactionState()).isEqualTo(TransactionState.ACTIVE);
        session.finish();
        assertThat(session.transactionState()).isEqualTo(TransactionState.NONE);
        assertThat(session.query("SELECT id FROM parent WHERE id = 30").rows()).isEmpty();
    }

    @Test
    void twoSnapshotsThatChangeTheSameRowEndWithASerializationFailure() throws Exception {
        try (AdapterSession other =
                adapter.connect(server.definition().build(), server.admin(), java.time.Duration.ofSeconds(20))) {
            session.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            session.begin();
            session.query("SELECT * FROM parent");
            other.update("UPDATE parent SET name = 'one' WHERE id = 1");
            RemoteException error = fails(
                    RemoteErrorCode.SERIALIZATION_FAILURE,
                    () -> session.update("UPDATE parent SET name = 'one' WHERE id = 1"));
            assertThat(error.isRetryable()).isTrue();
            assertThat(error.getSQLState()).isEqualTo("40001");
        }
    }

    @Test
    void anErrorOfTheBareConnectionThatKillsItIsReported() throws Exception {
        Object id = session.query("SELECT pg_backend_pid()").single();
        try (AdapterSession other =
                adapter.connect(server.definition().build(), server.admin(), java.time.Duration.ofSeconds(20))) {
            other.query("SELECT pg_terminate_backend(" + id + ")");
        }
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("SELECT pg_sleep(10)");
        } catch (java.sql.SQLException e) {
            RemoteFailure failure = session.report(e);
            assertThat(failure.fatal()).isTrue();
            assertThat(failure.sqlState()).isEqualTo("57P01");
        }
        assertThat(session.state()).isEqualTo(dev.reservoir.remote.model.ConnectionState.FAILED);
    }
}
