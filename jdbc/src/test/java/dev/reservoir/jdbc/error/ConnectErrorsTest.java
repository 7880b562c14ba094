package dev.reservoir.jdbc.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.jdbc.RefusingMySql;
import dev.reservoir.jdbc.TestPostgres;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Why a connect failed: the reason, the text, and the exception for the caller. */
class ConnectErrorsTest {

    private static SQLException failure(String url) {
        return failure(url, "app", "hunter2");
    }

    private static SQLException failure(String url, String user, String password) {
        SQLException failure =
                catchThrowableOfType(SQLException.class, () -> DriverManager.getConnection(url, user, password));
        assertThat((Throwable) failure).as("what connecting to %s throws", url).isNotNull();
        return failure;
    }

    private static String postgres(String database) {
        return "jdbc:postgresql://localhost:" + TestPostgres.port() + "/" + database;
    }

    @Test
    void aRuleThatFailsKnowsNoReason() {
        SQLException refused = new SQLException("password hunter2 is wrong", "28P01");
        assertThat(ConnectErrors.reason(refused, error -> {
                    throw new IllegalStateException(error);
                }))
                .isEqualTo(OpenFailureReason.AUTHENTICATION);
        assertThat(ConnectErrors.reason(refused, error -> OpenFailureReason.SERVER_FULL))
                .isEqualTo(OpenFailureReason.SERVER_FULL);
        assertThat(ConnectErrors.reason(refused, error -> null)).isEqualTo(OpenFailureReason.AUTHENTICATION);
    }

    // Errors of a real PostgreSQL.

    @Test
    void aDatabaseThatPostgresDoesNotHaveIsUnknown() {
        String url = postgres("nowhere");
        SQLException error = failure(url, TestPostgres.USER, TestPostgres.password());

        assertThat(ConnectErrors.reason(error)).isEqualTo(OpenFailureReason.UNKNOWN_DATABASE);
        assertThat(ConnectErrors.describe(error, UrlHost.withPort(url)))
                .isEqualTo("3D000 FATAL: database \"nowhere\" does not exist (localhost:" + TestPostgres.port() + ")");
    }

    @Test
    void aRoleThatPostgresDoesNotHaveIsARefusedLogin() {
        SQLException error = failure(postgres("postgres"), "nobody", "any");

        assertThat(ConnectErrors.reason(error)).isEqualTo(OpenFailureReason.AUTHENTICATION);
        assertThat(ConnectErrors.describe(error, ""))
                .isEqualTo("28P01 FATAL: password authentication failed for user \"nobody\"");
    }

    @Test
    void aRoleThatMayNotLogInIsARefusedLogin() throws SQLException {
        try (Connection admin = TestPostgres.open();
                Statement statement = admin.createStatement()) {
            statement.execute("create role retired nologin password 'known'");
            try {
                SQLException error = failure(postgres("postgres"), "retired", "known");

                assertThat(ConnectErrors.reason(error)).isEqualTo(OpenFailureReason.AUTHENTICATION);
                assertThat(ConnectErrors.describe(error, ""))
                        .isEqualTo("28000 FATAL: role \"retired\" is not permitted to log in");
            } finally {
                statement.execute("drop role retired");
            }
        }
    }

    @Test
    void aRoleThatHasAllItsConnectionsFindsPostgresFull() throws SQLException {
        try (Connection admin = TestPostgres.open();
                Statement statement = admin.createStatement()) {
            statement.execute("create role crowded login password 'known' connection limit 0");
            try {
                SQLException error = failure(postgres("postgres"), "crowded", "known");

                assertThat(ConnectErrors.reason(error)).isEqualTo(OpenFailureReason.SERVER_FULL);
                assertThat(ConnectErrors.describe(error, "db:5432"))
                        .isEqualTo("53300 FATAL: too many connections for role \"crowded\" (db:5432)");
            } finally {
                statement.execute("drop role crowded");
            }
        }
    }

    // Errors of other real drivers, with fake servers.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://no-such-host.invalid/x",
                "jdbc:mysql://no-such-host.invalid/x",
                "jdbc:mariadb://no-such-host.invalid/x",
                "jdbc:sqlserver://no-such-host.invalid;databaseName=x;connectRetryCount=0"
            })
    void aHostThatNobodyKnowsIsUnknown(String url) {
        SQLException error = failure(url);

        assertThat(ConnectErrors.reason(error)).as("%s", error).isEqualTo(OpenFailureReason.UNKNOWN_HOST);
        assertThat(ConnectErrors.describe(error, UrlHost.withPort(url)))
                .contains("no-such-host.invalid")
                .endsWith(" (no-such-host.invalid)")
                .doesNotContain("\n", "hunter2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mysql | 1045 | 28000 | Access denied for user 'app'@'localhost' (using password: YES) | AUTHENTICATION",
                "mariadb | 1045 | 28000 | Access denied for user 'app'@'localhost' (using password: YES) | AUTHENTICATION",
                "mysql | 1044 | 42000 | Access denied for user 'app'@'%' to database 'shop' | AUTHENTICATION",
                "mariadb | 1044 | 42000 | Access denied for user 'app'@'%' to database 'shop' | AUTHENTICATION",
                "mysql | 1049 | 42000 | Unknown database 'shop' | UNKNOWN_DATABASE",
                "mariadb | 1049 | 42000 | Unknown database 'shop' | UNKNOWN_DATABASE",
                "mysql | 1040 | | Too many connections | SERVER_FULL",
                "mariadb | 1040 | | Too many connections | SERVER_FULL",
                "mysql | 1040 | 08004 | Too many connections | SERVER_FULL",
                "mariadb | 1040 | 08004 | Too many connections | SERVER_FULL",
                "mysql | 1130 | | Host '10.0.0.7' is not allowed to connect to this MySQL server | AUTHENTICATION",
                "mariadb | 1130 | | Host '10.0.0.7' is not allowed to connect to this MariaDB server | AUTHENTICATION",
                "mysql | 1203 | 42000 | User app already has more than 'max_user_connections' active connections | SERVER_FULL",
                "mariadb | 1203 | 42000 | User app already has more than 'max_user_connections' active connections | SERVER_FULL",
                "mysql | 1226 | 42000 | User 'app' has exceeded the 'max_user_connections' resource | SERVER_FULL",
                "mariadb | 1226 | 42000 | User 'app' has exceeded the 'max_connections_per_hour' resource | SERVER_RATE"
            })
    void aRefusalOfMySqlIsToldByItsCode(String kind, int code, String state, String message, OpenFailureReason reason)
            throws IOException {
        try (RefusingMySql server = new RefusingMySql(code, state, message)) {
            SQLException error =
                    failure(server.url(kind, "shop?sslMode=" + (kind.equals("mysql") ? "DISABLED" : "disable")));

            assertThat(ConnectErrors.reason(error))
                    .as("%s %s %s", error.getSQLState(), error.getErrorCode(), error)
                    .isEqualTo(reason);
            assertThat(ConnectErrors.describe(error, "db:3306"))
                    .contains("/" + code + " ", message)
                    .endsWith(" (db:3306)");
        }
    }

    // Recorded errors.

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "28P01 | 0 | FATAL: password authentication failed for user \"app\" | AUTHENTICATION",
                "53400 | 0 | FATAL: connection rate exceeded | SERVER_RATE",
                "57P03 | 0 | FATAL: the database system is starting up | CONNECT",
                "08004 | 0 | The server requested SCRAM-based authentication, but no password was provided. | AUTHENTICATION",
                "08S01 | 0 | The TCP/IP connection to the host db, port 1433 has failed. Error: \"Connection refused. | CONNECT",
                "08004 | 0 | The server does not support SSL. | CONNECT",
                "S0001 | 18456 | Login failed for user 'sa'. | AUTHENTICATION",
                "S0001 | 18470 | Login failed for user 'app'. Reason: The account is disabled. | AUTHENTICATION",
                "S0001 | 4060 | Cannot open database \"shop\" requested by the login. The login failed. | UNKNOWN_DATABASE",
                "08001 | 4060 | Cannot open database \"shop\" requested by the login. The login failed. | UNKNOWN_DATABASE",
                "28000 | 335544472 | Your user name and password are not defined. | AUTHENTICATION",
                "08001 | 335544344 | I/O error during \"open\" operation for file \"/data/shop.fdb\" | UNKNOWN_DATABASE",
                "72000 | 1040 | ORA-01040: invalid character in password; logon denied | CONNECT",
                " | 0 | Rate exceeded. | CONNECT"
            })
    void aRecordedRefusalIsToldByItsStateItsCodeOrItsWords(
            String state, int code, String message, OpenFailureReason reason) {
        SQLException error = new SQLException(message, state, code);

        assertThat(ConnectErrors.reason(error)).isEqualTo(reason);
        assertThat(ConnectErrors.reason(new SQLException("outer", "08001", error)))
                .as("within another")
                .isEqualTo(reason);
    }

    @Test
    void whatStandsBelowADriversErrorCounts() {
        assertThat(ConnectErrors.reason(
                        new SQLException("x", "08001", new IOException(new UnknownHostException("db")))))
                .isEqualTo(OpenFailureReason.UNKNOWN_HOST);
        assertThat(ConnectErrors.reason(new SQLException("x", "08001", new SocketTimeoutException("silence"))))
                .isEqualTo(OpenFailureReason.CONNECT_TIMEOUT);
        assertThat(ConnectErrors.reason(new SQLTimeoutException("no answer", "08000")))
                .isEqualTo(OpenFailureReason.CONNECT_TIMEOUT);
        assertThat(ConnectErrors.reason(new SQLTimeoutException("not you", "28P01")))
                .isEqualTo(OpenFailureReason.AUTHENTICATION);
        assertThat(ConnectErrors.reason(new SQLInvalidAuthorizationSpecException("not you")))
                .isEqualTo(OpenFailureReason.AUTHENTICATION);
    }

    @Test
    void aChainThatIsACircleHasAnEnd() {
        SQLException one = new SQLException("one", "08001");
        SQLException two = new SQLException("two", "08001", one);
        one.initCause(two);

        assertThat(ConnectErrors.reason(one)).isEqualTo(OpenFailureReason.CONNECT);
        assertThat(ConnectErrors.describe(one, "")).isEqualTo("08001 one");
        assertThat((Throwable) ConnectErrors.sqlCause(one)).isSameAs(one);
    }

    // The text.

    @Test
    void theWordsStandOnOneLineWithWhatIsBelowThem() {
        assertThat(ConnectErrors.describe(
                        new SQLException("The attempt\n  failed.", "08001", new ConnectException("Connection refused")),
                        "db:5432"))
                .isEqualTo("08001 The attempt failed. (ConnectException: Connection refused) (db:5432)");
        assertThat(ConnectErrors.describe(new SQLException("Read: silence", new SocketTimeoutException("silence")), ""))
                .as("what was said already")
                .isEqualTo("Read: silence");
        assertThat(ConnectErrors.describe(new SQLException(), "")).isEqualTo("java.sql.SQLException");
        assertThat(ConnectErrors.describe(new SQLException("x".repeat(10_000)), ""))
                .hasSizeLessThan(500);
    }

    @Test
    void theWordsHoldNoSecretOfAUrl() {
        assertThat(ConnectErrors.describe(
                        new SQLException("cannot reach jdbc:x://u:hunter2@h/db?password=hunter2", "08001"), "h"))
                .isEqualTo("08001 cannot reach jdbc:x://u:***@h/db?password=*** (h)");
    }

    // The exception for the caller.

    @Test
    void aRefusalHasTheStateTheCodeAndTheExceptionOfTheDriver() {
        SQLException ofDriver = new SQLException("Unknown database 'shop'", "42000", 1049);
        OpenFailedException failed = new OpenFailedException(OpenFailureReason.UNKNOWN_DATABASE, "words", ofDriver);

        SQLException refusal = ConnectErrors.refusal(new NoConnectionException(Why.TIMEOUT, "no connection", failed));

        assertThat((Throwable) refusal)
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasMessage("no connection")
                .hasCause(failed);
        assertThat(refusal.getSQLState()).isEqualTo("42000");
        assertThat(refusal.getErrorCode()).isEqualTo(1049);
        assertThat((Throwable) refusal.getNextException()).isSameAs(ofDriver);
        assertThat((Throwable) ConnectErrors.refusal(new NoConnectionException(Why.MISCONFIGURED, "never", failed)))
                .as("one that does not go away by itself")
                .isInstanceOf(SQLNonTransientConnectionException.class);
    }

    @Test
    void aRefusalForAnotherReasonHasTheStatesOfAPool() {
        SQLException timeout = ConnectErrors.refusal(new NoConnectionException(Why.TIMEOUT, "none", null));
        SQLException closed = ConnectErrors.refusal(new NoConnectionException(Why.CLOSED, "closed", null));

        assertThat((Throwable) timeout).isInstanceOf(SQLTransientConnectionException.class);
        assertThat(timeout.getSQLState()).isEqualTo("08001");
        assertThat((Throwable) timeout.getNextException()).isNull();
        assertThat((Throwable) closed).isInstanceOf(SQLNonTransientConnectionException.class);
        assertThat(closed.getSQLState()).isEqualTo("08003");
        assertThat((Throwable) ConnectErrors.sqlCause(new IllegalStateException(new IOException())))
                .isNull();
        assertThat((Throwable) ConnectErrors.sqlCause(null)).isNull();
    }
}
