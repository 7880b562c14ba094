package dev.reservoir.pgwire;

import static dev.reservoir.pgwire.ExampleServer.run;
import static dev.reservoir.pgwire.ExampleServer.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/** PostgreSQL's own driver, in all of its modes. */
class DriverTest {
    private static ExampleServer server;

    @BeforeAll
    static void start() {
        server = ExampleServer.withPassword();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "&preferQueryMode=simple",
                "&preferQueryMode=extendedForPrepared",
                "&prepareThreshold=1",
                "&prepareThreshold=-1"
            })
    void queriesParametersAndTransactionsWork(String mode) throws SQLException {
        try (Connection connection = server.connect(mode)) {
            assertThat(connection.isValid(5)).isTrue();
            for (int i = 0; i < 7; i++) {
                try (PreparedStatement statement = connection.prepareStatement("echo ?")) {
                    statement.setInt(1, i);
                    try (ResultSet rows = statement.executeQuery()) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getInt(1)).isEqualTo(i);
                        assertThat(rows.next()).isFalse();
                    }
                }
            }
            run(connection, "set color = 'blue'");
            assertThat(values(connection, "show color")).containsExactly("blue");
            connection.setAutoCommit(false);
            assertThat(values(connection, "count 3")).containsExactly("1", "2", "3");
            connection.commit();
            connection.setAutoCommit(true);
            run(connection, "DISCARD ALL");
            assertThat(values(connection, "show color")).containsExactly("");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"&preferQueryMode=simple", "&prepareThreshold=5", "&prepareThreshold=-1"})
    void everyTypeHasTheSameValueInTextAndInBinary(String mode) throws SQLException {
        try (Connection connection = server.connect(mode);
                PreparedStatement statement = connection.prepareStatement("types")) {
            // The driver uses binary results after some runs of a named statement, or at once.
            for (int run = 0; run < 8; run++) {
                try (ResultSet rows = statement.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertTypes(rows);
                    assertThat(rows.next()).isTrue();
                    for (int column = 1; column <= ExampleHandler.VALUES.size(); column++) {
                        assertThat(rows.getObject(column)).isNull();
                    }
                }
            }
        }
    }

    private static void assertTypes(ResultSet rows) throws SQLException {
        assertThat(rows.getBoolean("bool")).isTrue();
        assertThat(rows.getBytes("bytea")).containsExactly(0, 0xff, 0x10);
        assertThat(rows.getLong("int8")).isEqualTo(-9_000_000_000L);
        assertThat(rows.getShort("int2")).isEqualTo((short) -7);
        assertThat(rows.getInt("int4")).isEqualTo(2_000_000_000);
        assertThat(rows.getString("text")).isEqualTo("grün €");
        assertThat(rows.getLong("oid")).isEqualTo(4_294_967_295L);
        assertThat(rows.getString("json")).isEqualTo("{\"a\": 1}");
        assertThat(rows.getFloat("float4")).isEqualTo(1.5f);
        assertThat(rows.getDouble("float8")).isEqualTo(-2.25);
        assertThat(rows.getString("varchar")).isEmpty();
        assertThat(rows.getObject("date", java.time.LocalDate.class)).hasToString("1969-07-20");
        assertThat(rows.getObject("timestamp", java.time.LocalDateTime.class))
                .hasToString("2026-01-31T23:59:59.123456");
        assertThat(rows.getObject("timestamptz", java.time.OffsetDateTime.class).toInstant())
                .hasToString("1999-12-31T01:02:03Z");
        assertThat(rows.getBigDecimal("numeric")).isEqualTo(new BigDecimal("-12345678.90010"));
        assertThat(rows.getObject("uuid")).hasToString(ExampleHandler.VALUES.get(PgType.UUID));
        for (PgType type : List.of(PgType.INT4, PgType.TEXT, PgType.UUID, PgType.NUMERIC)) {
            assertThat(rows.getString(type.name().toLowerCase(Locale.ROOT))).isEqualTo(ExampleHandler.VALUES.get(type));
        }
    }

    @Test
    void parametersThatTheDriverSendsInBinaryArriveAsText() throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement statement = connection.prepareStatement("echo ?")) {
            statement.setLong(1, -5);
            assertThat(only(statement)).isEqualTo("-5");
            statement.setDouble(1, 0.5);
            assertThat(only(statement)).isEqualTo("0.5");
            statement.setBytes(1, new byte[] {1, 2});
            assertThat(only(statement)).isEqualTo("\\x0102");
            statement.setObject(1, java.util.UUID.fromString("0b7c1a4e-3f5d-4a58-9e63-2f1d4c5b6a79"));
            assertThat(only(statement)).isEqualTo("0b7c1a4e-3f5d-4a58-9e63-2f1d4c5b6a79");
            statement.setBigDecimal(1, new BigDecimal("1000000.05"));
            assertThat(only(statement)).isEqualTo("1000000.05");
            statement.setString(1, "grün");
            assertThat(only(statement)).isEqualTo("grün");
            statement.setNull(1, java.sql.Types.VARCHAR);
            assertThat(only(statement)).isNull();
        }
    }

    private static String only(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    @Test
    void aLongResultComesWholeAndInParts() throws SQLException {
        List<String> numbers =
                IntStream.rangeClosed(1, 20_000).mapToObj(Integer::toString).toList();
        try (Connection connection = server.connect()) {
            assertThat(values(connection, "count 20000")).isEqualTo(numbers);
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(1_000);
                try (ResultSet rows = statement.executeQuery("count 20000")) {
                    for (String number : numbers) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getString(1)).isEqualTo(number);
                    }
                    assertThat(rows.next()).isFalse();
                }
            }
            connection.commit();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void anErrorHasItsStateAndItsPosition(String mode) throws SQLException {
        try (Connection connection = server.connect(mode)) {
            PSQLException error = catchThrowableOfType(PSQLException.class, () -> run(connection, "  fail now"));
            assertThat(error.getSQLState()).isEqualTo("42601");
            assertThat(error.getServerErrorMessage().getMessage()).isEqualTo("unknown statement \"fail\"");
            assertThat(error.getServerErrorMessage().getPosition()).isEqualTo(3);
            assertThat(values(connection, "echo 7")).containsExactly("7");
        }
    }

    @Test
    void aFailedTransactionStaysFailedUntilItsEnd() throws SQLException {
        try (Connection connection = server.connect()) {
            connection.setAutoCommit(false);
            assertThat(catchThrowableOfType(SQLException.class, () -> run(connection, "fail"))
                            .getSQLState())
                    .isEqualTo("42601");
            assertThat(catchThrowableOfType(SQLException.class, () -> run(connection, "echo 1"))
                            .getSQLState())
                    .isEqualTo("25P02");
            connection.rollback();
            assertThat(values(connection, "echo 1")).containsExactly("1");
            connection.commit();
        }
    }

    @Test
    void anExceptionOfTheHandlerIsNotShownToTheClient() throws SQLException {
        try (Connection connection = server.connect()) {
            SQLException error = catchThrowableOfType(SQLException.class, () -> run(connection, "crash"));
            assertThat(error.getSQLState()).isEqualTo("XX000");
            assertThat(error.getMessage()).doesNotContain("secret");
            assertThat(values(connection, "echo 1")).containsExactly("1");
        }
    }

    @Test
    void theMetadataOfAStatementNeedsNoRun() throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement statement = connection.prepareStatement("types")) {
            assertThat(statement.getMetaData().getColumnCount()).isEqualTo(ExampleHandler.VALUES.size());
            assertThat(statement.getMetaData().getColumnTypeName(1)).isEqualTo("bool");
        }
    }

    @Test
    void aBatchIsAnsweredInOrder() throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement statement = connection.prepareStatement("set x = 1")) {
            for (int i = 0; i < 500; i++) {
                statement.addBatch();
            }
            assertThat(statement.executeBatch()).hasSize(500);
        }
    }

    @Test
    void severalStatementsInOneTextAreRunInOrderUntilOneFails() throws SQLException {
        try (Connection connection = server.connect("&preferQueryMode=simple")) {
            SQLException error =
                    catchThrowableOfType(SQLException.class, () -> run(connection, "set a = 1; fail; set a = 2"));
            assertThat(error.getSQLState()).isEqualTo("42601");
            assertThat(values(connection, "show a")).containsExactly("1");
        }
    }
}
