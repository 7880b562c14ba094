package dev.reservoir.dsql.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.OpenFailureReason;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A refusal of Aurora DSQL is told by its state, or by its words where the state says less. */
class ConnectRefusalsTest {

    @ParameterizedTest
    @CsvSource(delimiterString = "|", textBlock = """
            08006 | FATAL: unable to accept connection, access denied       | AUTHENTICATION
                  | FATAL: unable to accept connection, access denied       | AUTHENTICATION
            53400 | Unable to accept connection, rate exceeded.             | SERVER_RATE
                  | Unable to accept connection, rate exceeded.             | SERVER_RATE
            08006 | Unable to accept connection, rate exceeded.             | SERVER_RATE
                  | Unable to accept connection, too many open connections. | SERVER_FULL
                  | Unable to accept connection.                            |
                  | Rate exceeded.                                          |
            57P03 | FATAL: the database system is starting up               |
            """)
    void aRefusalIsToldByItsWords(String state, String message, OpenFailureReason reason) {
        SQLException error = new SQLException(message, state);

        assertThat(new ConnectRefusals().reason(error)).isEqualTo(reason);
        assertThat(new ConnectRefusals().reason(new SQLException("outer", "08001", error)))
                .as("within another")
                .isEqualTo(reason);
    }
}
