package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connects, and the state of a new session. */
class ConnectTest {
    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    private static Connection connect(String more) throws SQLException {
        return Client.connect(dsql.emulator(), more);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "&preferQueryMode=simple", "&preferQueryMode=extendedForPrepared", "&prepareThreshold=1"})
    void theDriverConnectsChecksAndQueriesInEveryMode(String mode) throws SQLException {
        try (Connection connection = connect(mode)) {
            assertThat(connection.isValid(5)).isTrue();
            for (int i = 0; i < 3; i++) {
                try (PreparedStatement statement = connection.prepareStatement("select ?::int + 1")) {
                    statement.setInt(1, i);
                    try (var rows = statement.executeQuery()) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getInt(1)).isEqualTo(i + 1);
                    }
                }
            }
        }
    }

    @Test
    void sessionsAreRepeatableReadAndUtc() throws SQLException {
        try (Connection connection = connect("")) {
            assertThat(value(connection, "show transaction_isolation")).isEqualTo("repeatable read");
            assertThat(value(connection, "show timezone")).isEqualTo("UTC");
            assertThat(value(connection, "show server_encoding")).isEqualTo("UTF8");
            assertThat(value(connection, "select datcollate from pg_database where datname = 'postgres'"))
                    .isEqualTo("C");
        }
    }

    @Test
    void anotherDatabaseDoesNotExist() {
        String url = dsql.emulator().jdbcUrl().replace("/postgres?", "/orders?");
        assertRefused(
                () -> DriverManager.getConnection(url, "admin", "").close(),
                "3D000",
                "database \"orders\" does not exist");
    }

    @Test
    void withoutTlsNobodyComesIn() {
        String url = "jdbc:postgresql://" + dsql.emulator().endpoint() + "/postgres?sslmode=disable";
        assertRefused(() -> DriverManager.getConnection(url, "admin", "").close(), "28000", "TLS is required");
    }

    @Test
    void theCertificateIsGoodForTheHostAndForTheAddressOfThisMachine() throws SQLException {
        String url = dsql.emulator().jdbcUrl().replace("localhost", "127.0.0.1");
        try (Connection connection = DriverManager.getConnection(url, "admin", "")) {
            assertThat(connection.isValid(5)).isTrue();
        }
    }

    @Test
    void aCertificateOfAnotherAuthorityIsNotTrusted() throws SQLException {
        try (DsqlEmulator other =
                DsqlEmulator.builder().backend(Backend.stub()).httpPort(-1).start()) {
            String url =
                    dsql.emulator().jdbcUrl().replace(":" + dsql.emulator().port() + "/", ":" + other.port() + "/");
            assertThatThrownBy(
                            () -> DriverManager.getConnection(url, "admin", "").close())
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void adminCreatesAndGrantsAndARoleMayWhatItWasGranted() throws SQLException {
        try (Connection admin = connect("");
                Connection role = Client.as(dsql.emulator(), "reader", "", "")) {
            run(admin, "create schema shop");
            run(admin, "create table shop.orders (id int primary key)");
            assertRefused(() -> run(role, "select * from shop.orders"), "42501", "permission denied");
            run(admin, "grant usage on schema shop to reader");
            run(admin, "grant select on shop.orders to reader");
            run(role, "select * from shop.orders");
            assertRefused(() -> run(role, "insert into shop.orders values (1)"), "42501", "permission denied");
            assertRefused(() -> run(role, "create table mine (id int)"), "42501", "permission denied");
        }
    }

    @Test
    void theSuperuserOfPostgresIsNobodyHere() {
        assertRefused(
                () -> Client.as(dsql.emulator(), "postgres", "", "").close(), "28000", "is not permitted to log in");
    }

    @Test
    void aCancelledStatementEndsAndTheConnectionGoesOn() throws Exception {
        try (Connection connection = connect("");
                Statement statement = connection.createStatement()) {
            CompletableFuture<Void> sleeping = CompletableFuture.runAsync(() -> {
                try {
                    statement.execute("select pg_sleep(60)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e.getSQLState(), e);
                }
            });
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                statement.cancel();
                return sleeping.isDone();
            });
            assertThatThrownBy(sleeping::join).hasMessageContaining("57014");
            assertThat(value(connection, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void aBigResultAndABigParameterPassThrough() throws SQLException {
        String text = "reservoir ".repeat(300_000);
        try (Connection connection = connect("");
                PreparedStatement statement =
                        connection.prepareStatement("select ?::text from generate_series(1, 20)")) {
            statement.setString(1, text);
            try (var rows = statement.executeQuery()) {
                int count = 0;
                while (rows.next()) {
                    assertThat(rows.getString(1)).hasSameSizeAs(text);
                    count++;
                }
                assertThat(count).isEqualTo(20);
            }
        }
    }

    @Test
    void rowsComeInPortionsWhereTheClientAsksForThem() throws SQLException {
        try (Connection connection = connect("");
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(7);
            try (var rows = statement.executeQuery("select * from generate_series(1, 100)")) {
                int sum = 0;
                while (rows.next()) {
                    sum += rows.getInt(1);
                }
                assertThat(sum).isEqualTo(5050);
            }
            connection.commit();
        }
    }
}
