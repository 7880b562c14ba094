package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.testserver.MariaDbServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of the adapters on MariaDB, with one of two drivers. */
abstract class MariaDbContract extends AdapterContract {
    private MariaDbServer mariaDb;

    abstract String driver();

    @Override
    ContractServer startServer() {
        MariaDbServer.assumeAvailable();
        mariaDb = MariaDbServer.start();
        mariaDb.execute(
                "CREATE USER 'limited'@'%' IDENTIFIED BY '" + MariaDbServer.PASSWORD + "'",
                // Everybody may do everything in the database "test".
                "CREATE DATABASE contract",
                "CREATE TABLE contract.visible (x INTEGER)",
                "GRANT SELECT ON contract.visible TO 'limited'@'%'");
        return new ContractServer(
                RemoteDatabaseType.MYSQL,
                driver(),
                mariaDb.port(),
                "contract",
                MariaDbServer.USER,
                MariaDbServer.PASSWORD,
                "missing_database",
                false,
                "SELECT SLEEP(30)",
                "SELECT CONNECTION_ID()",
                "KILL %s",
                "SET SESSION sort_buffer_size = 1048576",
                "SELECT @@sort_buffer_size",
                "CREATE TEMPORARY TABLE leftover (x INTEGER);INSERT INTO leftover VALUES (1)");
    }

    @AfterAll
    void stop() {
        if (mariaDb != null) {
            mariaDb.close();
        }
    }

    @Test
    void theChosenDriverIsUsed() throws Exception {
        assertThat(adapter.driver(server.definition().build()).name()).isEqualTo(driver());
        assertThat(session.info().version()).contains("MariaDB");
    }

    @Test
    void aTransactionThatWasBegunByAStatementIsRolledBackOnRelease() throws Exception {
        session.update("START TRANSACTION");
        session.update("INSERT INTO parent (id, name) VALUES (30, 'thirty')");
        assertThat(session.transactionState()).isEqualTo(TransactionState.ACTIVE);
        session.finish();
        assertThat(session.transactionState()).isEqualTo(TransactionState.NONE);
        assertThat(session.query("SELECT id FROM parent WHERE id = 30").rows()).isEmpty();
    }

    @Test
    void aResetReturnsToTheDatabaseOfTheServer() throws Exception {
        session.update("USE mysql");
        session.reset();
        assertThat(session.query("SELECT DATABASE()").single()).isEqualTo("contract");
    }

    @Test
    void withoutADatabaseOfTheServerAChosenOneDoesNotPassToTheNextUser() throws Exception {
        try (AdapterSession other =
                adapter.connect(server.definition().database(null).build(), server.admin(), Duration.ofSeconds(20))) {
            assertThat(other.reset()).isEqualTo(ResetResult.CLEAN);
            other.update("USE mysql");
            assertThat(isClosedByReset(other)
                            || other.query("SELECT DATABASE()").single() == null)
                    .isTrue();
        }
    }

    /** The pool closes a connection whose reset fails, or answers that it must be replaced. */
    private static boolean isClosedByReset(AdapterSession used) {
        try {
            return used.reset() == ResetResult.REPLACE;
        } catch (RemoteException e) {
            return true;
        }
    }

    /** The server offers TLS with a certificate of its own. */
    @ParameterizedTest
    @EnumSource(
            value = SslMode.class,
            names = {"DISABLE", "PREFER", "REQUIRE"})
    void tlsIsUsedAsTheModeSays(SslMode mode) throws Exception {
        try (AdapterSession other =
                adapter.connect(server.definition().sslMode(mode).build(), server.admin(), Duration.ofSeconds(20))) {
            assertThat(other.info().encrypted()).isEqualTo(mode != SslMode.DISABLE);
        }
    }
}
