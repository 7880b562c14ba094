package dev.reservoir.remote.adapter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.adapter.RemoteFailure;
import dev.reservoir.remote.model.RemoteErrorCode;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the errors of each database mean, whether a call may be repeated, and whether the connection is dead. */
class ErrorCodesTest {
    private static RemoteFailure classify(String adapter, SQLException error) {
        return Adapters.installed().all().stream()
                .filter(one -> one.name().equals(adapter))
                .map((DatabaseAdapter one) -> one.classify(error))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        // adapter, SQLState, vendor code, meaning, retryable, dead
        "postgresql, 08006, 0, RD007, true, true",
        "postgresql, 08001, 0, RD001, true, true",
        "postgresql, 08P01, 0, RD008, true, true",
        "postgresql, 40001, 0, RD021, true, false",
        "postgresql, 40P01, 0, RD020, true, false",
        "postgresql, 28P01, 0, RD002, false, false",
        "postgresql, 53300, 0, RD005, true, false",
        "postgresql, 57P01, 0, RD006, true, true",
        "postgresql, 57014, 0, RD004, false, false",
        "postgresql, 25P02, 0, RD023, false, false",
        "postgresql, 42601, 0, RD010, false, false",
        "postgresql, 42501, 0, RD011, false, false",
        "postgresql, 42P01, 0, RD012, false, false",
        "postgresql, 22P02, 0, RD013, false, false",
        "postgresql, 34000, 0, RD015, false, false",
        "postgresql, 26000, 0, RD016, false, false",
        "postgresql, 23505, 0, RD022, false, false",
        "postgresql, 0A000, 0, RD009, false, false",
        "postgresql, P0001, 0, RD010, false, false",
        "mysql, 40001, 1205, RD004, true, false",
        "mysql, 40001, 1213, RD020, true, false",
        "mysql, HY000, 2002, RD001, true, true",
        "mysql, HY000, 2003, RD001, true, true",
        "mysql, HY000, 2006, RD007, true, true",
        "mysql, HY000, 2013, RD007, true, true",
        "mysql, 70100, 1317, RD004, true, false",
        "mysql, 70100, 1969, RD004, false, false",
        "mysql, 28000, 1045, RD002, false, false",
        "mysql, 08004, 1040, RD005, true, false",
        "mysql, 42000, 1049, RD012, false, false",
        "mysql, 42S02, 1146, RD012, false, false",
        "mysql, 42000, 1064, RD010, false, false",
        "mysql, 42000, 1142, RD011, false, false",
        "mysql, 23000, 1062, RD022, false, false",
        "mysql, 08S01, 0, RD007, true, true",
        "mssql, S0001, 18456, RD002, false, false",
        "mssql, S0001, 4060, RD012, false, false",
        "mssql, 40001, 1205, RD020, true, false",
        "firebird, 28000, 335544472, RD002, false, false",
        "firebird, 40001, 335544336, RD020, true, false",
        "firebird, HY008, 335544794, RD004, false, false",
        "scratchbird, 40001, 0, RD021, true, false"
    })
    void codesAndStatesHaveTheirMeaning(
            String adapter, String state, int code, String meaning, boolean retryable, boolean dead) {
        RemoteFailure failure = classify(adapter, new SQLException("text", state, code));
        assertThat(failure).isEqualTo(new RemoteFailure(RemoteErrorCode.of(meaning), state, code, retryable, dead));
    }

    @Test
    void theClassOfTheErrorDecidesBeforeItsCode() {
        SQLException reset = new SQLException("text", "08006", new SocketException("Connection reset"));
        assertThat(classify("postgresql", reset).code()).isEqualTo(RemoteErrorCode.NETWORK_ERROR);
        SQLException refused = new SQLException("text", "08006", new ConnectException("refused"));
        assertThat(classify("firebird", refused).code()).isEqualTo(RemoteErrorCode.CONNECTION_FAILED);
        SQLException silent = new SQLException("text", "08006", new SocketTimeoutException("Read timed out"));
        assertThat(classify("mysql", silent).code()).isEqualTo(RemoteErrorCode.TIMEOUT);
        assertThat(classify("mysql", silent).fatal()).isTrue();
        SQLException certificate = new SQLException("text", "08006", new SSLHandshakeException("no"));
        assertThat(classify("mssql", certificate).code()).isEqualTo(RemoteErrorCode.SSL_ERROR);
        SQLException constraint = new SQLIntegrityConstraintViolationException("text", null, 0);
        assertThat(classify("scratchbird", constraint).code()).isEqualTo(RemoteErrorCode.CONSTRAINT_VIOLATION);
    }

    @Test
    void anErrorWithoutCodeAndStateIsJudgedByItsClass() {
        SQLException timeout = new SQLTimeoutException("text");
        assertThat(classify("mysql", timeout).code()).isEqualTo(RemoteErrorCode.TIMEOUT);
        SQLException gone = new SQLNonTransientConnectionException("text");
        assertThat(classify("firebird", gone).fatal()).isTrue();
        assertThat(classify("firebird", new SQLException("text")).code()).isEqualTo(RemoteErrorCode.SYNTAX_ERROR);
    }
}
