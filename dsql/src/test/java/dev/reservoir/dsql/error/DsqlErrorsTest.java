package dev.reservoir.dsql.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.net.SocketException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DsqlErrorsTest {

    /** The server's own words. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            40001 | change conflicts with another transaction (OC000)                           | CONFLICT       |
            40001 | schema has been updated by another transaction, please retry: (OC001)       | SCHEMA_CHANGED |
            40001 | could not serialize access due to concurrent update                         | CONFLICT       |
            40P01 | deadlock detected                                                           | CONFLICT       |
            0A000 | unsupported statement: Truncate                                             | UNSUPPORTED    |
            53400 | Unable to accept connection, rate exceeded.                                 | LIMIT          | RATE
            53300 | Unable to accept connection, too many open connections.                     | LIMIT          | COUNT
            53200 | out of memory                                                               | LIMIT          | MEMORY
            54000 | transaction row limit exceeded                                              | LIMIT          | ROWS
            54000 | transaction size limit 10mb exceeded                                        | LIMIT          | SIZE
            54000 | transaction age limit of 300s exceeded                                      | LIMIT          | AGE
            54000 | something else is too large                                                 | LIMIT          | OTHER
            54001 | stack depth limit exceeded                                                  | LIMIT          | OTHER
            XX000 | server unavailable                                                          | UNAVAILABLE    |
            XX000 | cache lookup failed                                                         | PERMANENT      |
            08006 | FATAL: unable to accept connection, access denied                           | AUTH           |
            28000 | unable to accept connection, access denied                                  | AUTH           |
            28P01 | password authentication failed                                              | AUTH           |
            08006 | An I/O error occurred while sending to the backend.                         | CONNECTION     |
            08003 | This connection has been closed.                                            | CONNECTION     |
            57P01 | terminating connection due to administrator command                         | CONNECTION     |
            42704 | type "serial" does not exist                                                | PERMANENT      |
            23505 | duplicate key value violates unique constraint                              | PERMANENT      |
            57014 | canceling statement due to user request                                     | PERMANENT      |
            """)
    void theStateDecidesThenTheMessage(String state, String message, ErrorKind kind, Limit limit) {
        SQLException error = new SQLException(message, state);

        assertThat(DsqlErrors.of(error)).isEqualTo(new DsqlError(kind, limit, state));
        assertThat(DsqlErrors.classify(error)).isEqualTo(kind);
        assertThat(DsqlErrors.limit(error)).isEqualTo(limit);
        assertThat(DsqlErrors.isRetryable(error)).isEqualTo(kind.isRetryable());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ERROR: change conflicts with another transaction, please retry: (OC000) | CONFLICT       |
            schema has been updated (OC001)                                         | SCHEMA_CHANGED |
            FATAL: unable to accept connection, access denied                       | AUTH           |
            Unable to accept connection, rate exceeded.                             | LIMIT          | RATE
            Unable to accept connection, too many open connections.                 | LIMIT          | COUNT
            something went wrong                                                    | PERMANENT      |
            """)
    void withoutAStateTheMessageDecides(String message, ErrorKind kind, Limit limit) {
        assertThat(DsqlErrors.of(new SQLException(message))).isEqualTo(new DsqlError(kind, limit, null));
    }

    @Test
    void onlyConflictsChangedSchemasAndUnavailabilityMayBeRunAgain() {
        assertThat(ErrorKind.values())
                .filteredOn(ErrorKind::isRetryable)
                .containsExactly(ErrorKind.CONFLICT, ErrorKind.SCHEMA_CHANGED, ErrorKind.UNAVAILABLE);
    }

    @Test
    void causesAreLookedThrough() {
        SQLException conflict = new SQLException("change conflicts (OC000)", "40001");

        assertThat(DsqlErrors.classify(new RuntimeException("a framework", new IllegalStateException(conflict))))
                .isEqualTo(ErrorKind.CONFLICT);
        assertThat(DsqlErrors.classify(new RuntimeException(new ConditionFailedException("shard 1", 5))))
                .isEqualTo(ErrorKind.CONDITION_FAILED);
    }

    @Test
    void anAbortedTransactionIsWhatAbortedIt() {
        SQLException aborted = new SQLException("current transaction is aborted", "25P02");

        assertThat(DsqlErrors.classify(aborted)).isEqualTo(ErrorKind.PERMANENT);
        assertThat(DsqlErrors.of(aborted).sqlState()).isEqualTo("25P02");

        aborted.initCause(new SQLException("change conflicts (OC000)", "40001"));
        assertThat(DsqlErrors.classify(aborted)).isEqualTo(ErrorKind.CONFLICT);
    }

    @Test
    void theNextExceptionIsLookedAt() {
        BatchUpdateException batch = new BatchUpdateException("Batch entry 0 failed", null, 0, new int[0], null);
        batch.setNextException(new SQLException("transaction row limit exceeded", "54000"));

        assertThat(DsqlErrors.limit(batch)).isEqualTo(Limit.ROWS);
    }

    @Test
    void socketsThatBreakAreLostConnections() {
        assertThat(DsqlErrors.classify(new SocketException("Connection reset"))).isEqualTo(ErrorKind.CONNECTION);
        assertThat(DsqlErrors.classify(new SQLException("read failed", new EOFException())))
                .isEqualTo(ErrorKind.CONNECTION);
        assertThat(DsqlErrors.classify(new SQLRecoverableException("gone"))).isEqualTo(ErrorKind.CONNECTION);
        assertThat(DsqlErrors.classify(new SQLTransientConnectionException("none free")))
                .isEqualTo(ErrorKind.CONNECTION);
    }

    @Test
    void chainsThatAreCirclesEnd() {
        RuntimeException a = new RuntimeException("a");
        RuntimeException b = new RuntimeException("b", a);
        a.initCause(b);

        assertThat(DsqlErrors.classify(a)).isEqualTo(ErrorKind.PERMANENT);
    }

    @Test
    void labelsNameTheLimit() {
        assertThat(new DsqlError(ErrorKind.LIMIT, Limit.ROWS, "54000").label()).isEqualTo("limit_rows");
        assertThat(new DsqlError(ErrorKind.SCHEMA_CHANGED, null, "40001").label())
                .isEqualTo("schema_changed");
    }
}
