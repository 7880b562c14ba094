package dev.reservoir.dsql.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.error.ErrorKind;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connects outside a reservoir: why they fail, and how long to wait after a server that said it was too much. */
class ConnectCountsTest {
    private final ConnectCounts connects = new ConnectCounts(new SplittableRandom(1));

    @Test
    void aRefusalIsSortedByStateAndThenByWords() {
        String denied = "FATAL: unable to accept connection, access denied";
        assertThat(ConnectCounts.reason(new SQLException("x", "53300"))).isEqualTo(OpenFailureReason.SERVER_FULL);
        assertThat(ConnectCounts.reason(new SQLException("Unable to accept connection, rate exceeded.", "53400")))
                .isEqualTo(OpenFailureReason.SERVER_RATE);
        assertThat(ConnectCounts.reason(new SQLException("x", "28P01"))).isEqualTo(OpenFailureReason.AUTHENTICATION);
        assertThat(ConnectCounts.reason(new SQLException(denied, "08006"))).isEqualTo(OpenFailureReason.AUTHENTICATION);
        assertThat(ConnectCounts.reason(new SQLException("x", "08001", new SQLException("y", "53400"))))
                .isEqualTo(OpenFailureReason.SERVER_RATE);
        assertThat(ConnectCounts.reason(new SQLException("x", "08001", new SocketTimeoutException())))
                .isEqualTo(OpenFailureReason.CONNECT_TIMEOUT);
        assertThat(ConnectCounts.reason(new SQLException("x"))).isEqualTo(OpenFailureReason.CONNECT);
    }

    /** One table for both, so that they do not part. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                  | Unable to accept connection, rate exceeded.             | LIMIT      | SERVER_RATE
            53400 | Unable to accept connection, rate exceeded.             | LIMIT      | SERVER_RATE
            08006 | Unable to accept connection, rate exceeded.             | LIMIT      | SERVER_RATE
                  | Unable to accept connection, too many open connections. | LIMIT      | SERVER_FULL
            53300 | Unable to accept connection, too many open connections. | LIMIT      | SERVER_FULL
                  | FATAL: unable to accept connection, access denied       | AUTH       | AUTHENTICATION
            08006 | FATAL: unable to accept connection, access denied       | AUTH       | AUTHENTICATION
            28P01 | password authentication failed                          | AUTH       | AUTHENTICATION
            08001 | The connection attempt failed.                          | CONNECTION | CONNECT
            54000 | transaction row limit exceeded                          | LIMIT      | CONNECT
            """)
    void aRefusalMeansTheSameHereAndInATransaction(
            String state, String message, ErrorKind kind, OpenFailureReason reason) {
        SQLException error = new SQLException(message, state);
        assertThat(DsqlErrors.classify(error)).isEqualTo(kind);
        assertThat(ConnectCounts.reason(error)).isEqualTo(reason);
    }

    @Test
    void onlyTheServersLimitsMakeAPauseWhichGrowsUntilASuccess() {
        connects.failed(OpenFailureReason.CONNECT, 0);
        connects.failed(OpenFailureReason.AUTHENTICATION, 0);
        assertThat(connects.pauseNanos(0)).isZero();
        for (int i = 0; i < 10; i++) {
            long step = TimeUnit.MILLISECONDS.toNanos(Math.min(5_000, 250L << i));
            connects.failed(i % 2 == 0 ? OpenFailureReason.SERVER_RATE : OpenFailureReason.SERVER_FULL, 1_000);
            assertThat(connects.pauseNanos(1_000)).isBetween(step / 2, step);
        }
        connects.opened();
        connects.failed(OpenFailureReason.SERVER_RATE, 2_000);
        assertThat(connects.pauseNanos(2_000)).isBetween(1L, TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(connects.pauseNanos(Long.MAX_VALUE / 2)).isZero();
    }

    @Test
    void everythingIsCounted() {
        connects.opened();
        connects.failed(OpenFailureReason.SERVER_RATE, 0);
        connects.failed(OpenFailureReason.SERVER_RATE, 0);
        assertThat(connects.metrics())
                .containsEntry("dsql_connects_total", 1.0)
                .containsEntry("dsql_connect_failures_total{reason=\"server_rate\"}", 2.0)
                .containsEntry("dsql_connect_failures_total{reason=\"authentication\"}", 0.0);
    }
}
