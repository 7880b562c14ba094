package dev.reservoir.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.RecordingSocketFactory;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.connect.ConnectionSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections have the configured settings, at first and after each use. Runs on a real PostgreSQL. */
class SessionSetupTest {
    private static final Credential NOBODY = new Credential(null, null);

    @BeforeAll
    static void makeSchema() throws SQLException {
        try (Connection connection = TestPostgres.open();
                Statement statement = connection.createStatement()) {
            statement.execute("create schema if not exists prepared");
            statement.execute("create table if not exists prepared.notes (id int)");
        }
    }

    private static ReservoirDataSourceBuilder one() {
        return ReservoirDataSource.builder().url(TestPostgres.url()).maxOpen(1).acquireTimeout(Duration.ofSeconds(30));
    }

    private static String ask(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }

    @Test
    void everySettingHoldsForANewConnectionAndAgainAfterEachUse() throws SQLException {
        try (ReservoirDataSource dataSource = one().autoCommit(false)
                .readOnly(true)
                .transactionIsolation("SERIALIZABLE")
                .schema("prepared")
                .catalog(TestPostgres.DATABASE)
                .connectionInitSql("set application_name = 'prepared'")
                .build()) {
            int backend = 0;
            for (int use = 0; use < 3; use++) {
                try (Connection connection = dataSource.getConnection()) {
                    assertThat(connection.getAutoCommit()).isFalse();
                    assertThat(connection.isReadOnly()).isTrue();
                    assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
                    assertThat(connection.getSchema()).isEqualTo("prepared");
                    assertThat(connection.getCatalog()).isEqualTo(TestPostgres.DATABASE);
                    assertThat(ask(connection, "show application_name")).isEqualTo("prepared");
                    assertThat(ask(connection, "show transaction_read_only")).isEqualTo("on");
                    assertThat(ask(connection, "show transaction_isolation")).isEqualTo("serializable");
                    int pid = Integer.parseInt(ask(connection, "select pg_backend_pid()"));
                    assertThat(backend == 0 || backend == pid)
                            .as("one connection")
                            .isTrue();
                    backend = pid;
                    connection.rollback();

                    connection.setReadOnly(false);
                    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                    connection.setSchema("public");
                    connection.setAutoCommit(true);
                }
            }
        }
    }

    @Test
    void whatWasSetOutlivesARollbackThoughAutoCommitIsOff() throws SQLException {
        try (ReservoirDataSource dataSource = one().autoCommit(false)
                        .schema("prepared")
                        .connectionInitSql("set statement_timeout = '17s'")
                        .build();
                Connection connection = dataSource.getConnection()) {
            connection.rollback();

            assertThat(ask(connection, "show statement_timeout")).isEqualTo("17s");
            assertThat(ask(connection, "show search_path")).contains("prepared");
            connection.rollback();
        }
    }

    /** Behaves as a data source that prepares connections itself. */
    public static final class WithoutAutoCommit extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setAutoCommit(false);
            return connection;
        }
    }

    @Test
    void whatWasSetIsCommittedWhereConnectionsOpenWithoutAutoCommit() throws SQLException {
        WithoutAutoCommit opener = new WithoutAutoCommit();
        opener.setUrl(TestPostgres.url());
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                        .dataSource(opener)
                        .maxOpen(1)
                        .schema("prepared")
                        .connectionInitSql("set statement_timeout = '18s'")
                        .build();
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.getAutoCommit()).as("as it was opened").isFalse();
            connection.rollback();
            assertThat(ask(connection, "show statement_timeout")).isEqualTo("18s");
            assertThat(connection.getSchema()).isEqualTo("prepared");
            connection.rollback();
        }
    }

    @Test
    void withoutSettingsTheServerHearsOfNothing() throws SQLException {
        try (Connection raw =
                java.sql.DriverManager.getConnection(TestPostgres.url(RecordingSocketFactory.PARAMETER))) {
            long before = RecordingSocketFactory.writes();

            SessionSetup.NONE.apply(raw, Duration.ofSeconds(1));

            assertThat(RecordingSocketFactory.writes()).isEqualTo(before);
        }
    }

    @Test
    void anErrorIsAFailedConnectThatNamesTheSetting() {
        try (ReservoirDataSource dataSource = one().connectionInitSql("select 'hunter2' from no_such_table")
                .acquireTimeout(Duration.ofMillis(500))
                .initialFillTimeout(Duration.ZERO)
                .build()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dataSource.stats().openFailures().containsKey(OpenFailureReason.CONNECT));
            assertThatThrownBy(dataSource::getConnection)
                    .rootCause()
                    .isInstanceOf(SQLException.class)
                    .hasMessage("connectionInitSql failed on a new connection: SQLState 42P01," + " vendor code 0");
        }
    }

    @Test
    void aDriverThatQuotesTheFirstStatementDoesNotShowItsSecret() {
        for (Throwable quoting : List.of(
                new SQLException("wrong: set key = 'hunter2'", "42000", 1064),
                new IllegalStateException("wrong: set key = 'hunter2'"))) {
            Recorder recorder = new Recorder();
            recorder.failures.put("createStatement", quoting);
            SessionSetup setup = new SessionSetup(null, null, null, null, null, "set key = 'hunter2'");

            assertThatThrownBy(() -> setup.apply(recorder.idle(Connection.class), Duration.ofSeconds(1)))
                    .isInstanceOf(SQLException.class)
                    .hasNoCause()
                    .hasMessageStartingWith("connectionInitSql failed on a new connection: ")
                    .message()
                    .doesNotContain("hunter2");
        }
    }

    @Test
    void aRefusedSettingLeavesNoConnectionBehind() throws SQLException {
        Config config = new Config();
        config.set(DataSourceSettings.URL, TestPostgres.url("ApplicationName=left-behind"));
        config.set(DataSourceSettings.TRANSACTION_ISOLATION, 77);

        assertThatThrownBy(() -> ConnectionSource.of(config).connect(NOBODY))
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("transactionIsolation is 77, which a new connection refused: ");

        try (Connection observer = TestPostgres.open()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> ask(
                                    observer,
                                    "select count(*) from pg_stat_activity where application_name = 'left-behind'")
                            .equals("0"));
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void aServerThatDoesNotAnswerIsNotWaitedForWithoutEnd() {
        Config byUrl = new Config();
        byUrl.set(DataSourceSettings.URL, TestPostgres.url());
        Config byDataSource = new Config();
        PGSimpleDataSource opener = new PGSimpleDataSource();
        opener.setUrl(TestPostgres.url());
        byDataSource.set(DataSourceSettings.DATA_SOURCE, opener);
        for (Config config : new Config[] {byUrl, byDataSource}) {
            config.set(DataSourceSettings.CONNECT_TIMEOUT, Duration.ofSeconds(1));
            config.set(DataSourceSettings.CONNECTION_INIT_SQL, "select pg_sleep(600)");

            assertThatThrownBy(() -> ConnectionSource.of(config).connect(NOBODY))
                    .hasMessageStartingWith("connectionInitSql failed")
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void theBoundOfTheSetupIsGoneAfterwards() throws SQLException {
        Config config = new Config();
        PGSimpleDataSource opener = new PGSimpleDataSource();
        opener.setUrl(TestPostgres.url());
        opener.setSocketTimeout(77);
        config.set(DataSourceSettings.DATA_SOURCE, opener);
        config.set(DataSourceSettings.CONNECT_TIMEOUT, Duration.ofSeconds(5));
        config.set(DataSourceSettings.SCHEMA, "prepared");
        try (Connection raw = ConnectionSource.of(config).connect(NOBODY)) {
            assertThat(raw.getNetworkTimeout()).isEqualTo(77_000);
        }
        opener.setSocketTimeout(0);
        try (Connection raw = ConnectionSource.of(config).connect(NOBODY)) {
            assertThat(raw.getNetworkTimeout()).isZero();
        }
    }

    /** PostgreSQL has one catalog for each connection, and silently ignores any other. */
    @Test
    void theCatalogIsSetBeforeTheStatementRuns() throws SQLException {
        Recorder recorder = new Recorder();
        SessionSetup setup = new SessionSetup(null, null, null, "orders", null, "select 1");

        setup.apply(recorder.idle(Connection.class), Duration.ofSeconds(5));

        assertThat(recorder.names()).containsSubsequence("setCatalog", "execute");
        assertThat(recorder.calls)
                .filteredOn(call -> call.method().getName().equals("setCatalog"))
                .singleElement()
                .satisfies(call -> assertThat(call.arguments()).containsExactly("orders"));
    }

    /** The driver asks the server for it by itself, and so begins a transaction that nothing ends. */
    @Test
    void metadataThatIsReadAfterTheCommitLeavesNoTransactionOpen() throws SQLException {
        try (ReservoirDataSource dataSource = one().autoCommit(false).build();
                Connection observer = TestPostgres.open()) {
            String pid;
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                pid = ask(connection, "select pg_backend_pid()");
                try (ResultSet rows = statement.executeQuery("select * from prepared.notes")) {
                    connection.commit();
                    assertThat(rows.getMetaData().isNullable(1)).isEqualTo(ResultSetMetaData.columnNullable);
                    assertThat(ask(observer, "select state from pg_stat_activity where pid = " + pid))
                            .isEqualTo("idle in transaction");
                }
            }
            assertThat(ask(observer, "select state from pg_stat_activity where pid = " + pid))
                    .isEqualTo("idle");
        }
    }
}
