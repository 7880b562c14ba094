package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.postgres.local.LocalPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The PostgreSQL server is full, or refuses something for a while. The emulator still works, or recovers. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullPostgresTest {
    private static final String CONFLICT = "change conflicts with another transaction (OC000)";
    private static final String WATCH =
            "from pg_stat_activity where usename = 'few' and application_name = 'dsql emulator'";

    private static LocalPostgres server;
    private static Connection superuser;
    private DsqlEmulator dsql;

    @BeforeAll
    static void startServer() throws SQLException {
        server = LocalPostgres.start();
        superuser = server.dataSource().getConnection();
        run(superuser, "create role few login password 'few' connection limit 3");
        run(superuser, "grant all on schema public to few");
    }

    @AfterAll
    static void stopServer() throws SQLException {
        superuser.close();
        server.close();
    }

    @BeforeEach
    void start() throws SQLException {
        dsql = DsqlEmulator.builder()
                .backend(Backend.postgres("127.0.0.1", server.port(), "postgres", "few", "few"))
                .httpPort(-1)
                .start();
        awaitWatch();
        try (Connection connection = Client.connect(dsql)) {
            run(connection, "create table accounts (id int primary key, balance int)");
            run(connection, "insert into accounts values (1, 100)");
        }
        awaitConnections(1);
    }

    @AfterEach
    void stop() throws SQLException {
        dsql.close();
        run(superuser, "drop table accounts");
        run(superuser, "drop schema if exists sys cascade");
        awaitConnections(0);
    }

    private static void awaitConnections(int count) {
        await().until(
                        () -> value(superuser, "select count(*) from pg_stat_activity where usename = 'few'"),
                        Integer.toString(count)::equals);
    }

    private static void awaitWatch() {
        await().until(() -> value(superuser, "select count(*) " + WATCH + " and state = 'idle'"), "1"::equals);
    }

    private void assertConflictAtCommitOnAFullServer() throws SQLException {
        try (Connection first = Client.connect(dsql);
                Connection second = Client.connect(dsql)) {
            assertRefused(() -> Client.connect(dsql).close(), "53300", "too many connections");
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            run(first, "update accounts set balance = balance + 1 where id = 1");
            run(second, "update accounts set balance = balance + 2 where id = 1");
            first.commit();
            assertRefused(second::commit, "40001", CONFLICT);
        }
    }

    @Test
    void waitsAreWatchedThoughClientsHaveTakenAllOtherPlaces() throws SQLException {
        assertConflictAtCommitOnAFullServer();
    }

    @Test
    void aWatchWhoseConnectionIsLostOpensAnother() throws SQLException {
        String pid = value(superuser, "select pid " + WATCH);
        run(superuser, "select pg_terminate_backend(" + pid + ")");
        await().until(() -> value(superuser, "select count(*) " + WATCH + " and pid <> " + pid), "1"::equals);
        awaitWatch();
        assertConflictAtCommitOnAFullServer();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void aSchemaSysThatCouldNotBeMadeIsMadeAtTheNextStatementThatNeedsIt(String mode) throws SQLException {
        try (Connection connection = Client.connect(dsql, mode)) {
            assertRefused(() -> value(connection, "select count(*) from sys.jobs"), "42P01", "sys.jobs");
            assertRefused(() -> value(connection, "select count(*) from sys.jobs"), "42P01", "sys.jobs");
            // The last attempt to make the schema has left its place.
            awaitConnections(2);
            run(superuser, "grant create on database postgres to few");
            assertThat(value(connection, "create index async on accounts (balance)"))
                    .hasSize(36);
            assertThat(value(connection, "select count(*) from sys.jobs")).isEqualTo("1");
        } finally {
            run(superuser, "revoke create on database postgres from few");
        }
        awaitConnections(1);
        try (Connection another = Client.connect(dsql, mode)) {
            assertThat(value(another, "create index async on accounts (balance, id)"))
                    .hasSize(36);
        }
    }

    @Test
    void aSchemaSysForWhichThereWasNoPlaceIsMadeWhenThereIsOne() throws SQLException {
        run(superuser, "grant create on database postgres to few");
        try (Connection connection = Client.connect(dsql)) {
            try (Connection last = Client.connect(dsql)) {
                assertRefused(() -> value(last, "select count(*) from sys.jobs"), "42P01", "sys.jobs");
            }
            awaitConnections(2);
            assertThat(value(connection, "select count(*) from sys.jobs")).isEqualTo("0");
        } finally {
            run(superuser, "revoke create on database postgres from few");
        }
    }
}
