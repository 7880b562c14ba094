package dev.reservoir.jdbc.error;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.util.Causes;
import dev.reservoir.jdbc.ErrorRule;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StandardErrorRuleTest {
    private final ErrorRule rule = ErrorRule.standard();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "08000", "08001", "08003", "08004", "08006", "08007", "08S01", "57P01", "57P02", "57P03", "57P04",
                "57P05", "25P03", "25P04"
            })
    void theseStatesAreBad(String state) {
        assertThat(rule.isBad(new SQLException("x", state))).isTrue();
        assertThat(rule.isBad(new SQLException("wrapped", new SQLException("x", state))))
                .isTrue();
        assertThat(rule.isBad(new SQLException("wrapped", "42000", new RuntimeException(new SQLException("x", state)))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0A000", "40001", "40P01", "53000", "53200", "53300", "53400", "54000", "23000", "23505", "57014",
                "25P02", "42601", "42704", "28000", "XX000", "HY008", "70100", "", "0", "00000"
            })
    void theseStatesAreNot(String state) {
        assertThat(rule.isBad(new SQLException("x", state))).isFalse();
        assertThat(rule.isBad(new SQLException("wrapped", new SQLException("x", state))))
                .isFalse();
    }

    static Stream<Throwable> signsOfABrokenSocket() {
        return Stream.of(
                new SocketException("Connection reset"),
                new EOFException(),
                new ClosedChannelException(),
                new SSLException("close_notify"),
                new SocketTimeoutException("Read timed out"),
                new IOException("wrapped", new SocketException("Broken pipe")),
                new SQLRecoverableException("gone"),
                new SQLNonTransientConnectionException("gone"));
    }

    @ParameterizedTest
    @MethodSource("signsOfABrokenSocket")
    void aBrokenSocketIsBadWhereverItStandsInTheChain(Throwable sign) {
        assertThat(rule.isBad(new SQLException("x", sign))).isTrue();
        assertThat(rule.isBad(new SQLException("x", "XX000", new IllegalStateException(sign))))
                .isTrue();
    }

    @Test
    void anErrorThatSaysNothingIsNotBad() {
        assertThat(rule.isBad(new SQLException())).isFalse();
        assertThat(rule.isBad(new SQLException("x", new IOException("disk full"))))
                .isFalse();
        assertThat(rule.isBad(new SQLFeatureNotSupportedException())).isFalse();
        assertThat(rule.isBad(new SQLTimeoutException("statement"))).isFalse();
    }

    @Test
    void inOneExceptionTheStateCountsBeforeTheClass() {
        assertThat(rule.isBad(new SQLRecoverableException("x", "40001"))).isFalse();
        assertThat(rule.isBad(new SQLNonTransientConnectionException("x", "53300")))
                .isFalse();
        assertThat(rule.isBad(new SQLTimeoutException("connect", "08001"))).isTrue();
    }

    @Test
    void inAChainOfCausesTheOutermostSignCounts() {
        SQLException harmlessOutside = new SQLTimeoutException("statement", new SocketTimeoutException());
        SQLException refusedOutside = new SQLException("x", "0A000", new SQLRecoverableException("y"));
        SQLException badOutside = new SQLException("x", "08006", new SQLException("y", "57014"));

        assertThat(rule.isBad(harmlessOutside)).isFalse();
        assertThat(rule.isBad(refusedOutside)).isFalse();
        assertThat(rule.isBad(badOutside)).isTrue();
        assertThat(rule.isBad(new SQLException("says nothing", badOutside))).isTrue();
        assertThat(rule.isBad(new SQLException("says nothing", refusedOutside))).isFalse();
    }

    @Test
    void oneBadErrorAmongTheNextOnesIsEnough() {
        BatchUpdateException batch = new BatchUpdateException("x", "23505", new int[0]);
        batch.setNextException(new SQLException("duplicate", "23505"));
        assertThat(rule.isBad(batch)).isFalse();

        batch.setNextException(new SQLException("x", new SocketException("Broken pipe")));
        assertThat(rule.isBad(batch)).isTrue();
    }

    @Test
    void aCircleOfCausesEnds() {
        SQLException outer = new SQLException("outer");
        SQLException inner = new SQLException("inner");
        outer.initCause(inner);
        inner.initCause(outer);

        assertThat(rule.isBad(outer)).isFalse();
    }

    @Test
    void aCircleOfNextExceptionsEnds() {
        SQLException error = new SQLException("x") {
            private static final long serialVersionUID = 1;

            @Override
            public SQLException getNextException() {
                return this;
            }
        };

        assertThat(rule.isBad(error)).isFalse();
    }

    @Test
    void chainsAreFollowedUpToTheirBoundsAndNoFurther() {
        assertThat(rule.isBad(causedBy(Causes.MAX - 1))).isTrue();
        assertThat(rule.isBad(causedBy(Causes.MAX))).isFalse();
        assertThat(rule.isBad(followedBy(StandardErrorRule.NEXT_MAX - 1))).isTrue();
        assertThat(rule.isBad(followedBy(StandardErrorRule.NEXT_MAX))).isFalse();
    }

    private static SQLException causedBy(int distance) {
        SQLException error = new SQLException("gone", "08006");
        for (int i = 0; i < distance; i++) {
            error = new SQLException("around", error);
        }
        return error;
    }

    private static SQLException followedBy(int distance) {
        SQLException first = new SQLException("first");
        SQLException last = first;
        for (int i = 1; i < distance; i++) {
            SQLException next = new SQLException("next");
            last.setNextException(next);
            last = next;
        }
        last.setNextException(new SQLException("gone", "08006"));
        return first;
    }
}
