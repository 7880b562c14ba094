package dev.reservoir.dsql.standard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.testkit.LogLines;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The first fill: retries with pauses, best effort, and an end. */
class PoolWarmupTest {
    private final List<Long> pausesMillis = new ArrayList<>();

    private PoolWarmup warmup(int target) {
        return new PoolWarmup(
                target, new SplittableRandom(3), nanos -> pausesMillis.add(TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    @Test
    void eachConnectionIsTriedSixTimesWithGrowingPauses() {
        AtomicInteger tries = new AtomicInteger();
        assertThatThrownBy(() -> warmup(1).open(() -> {
                    throw new SQLException("try " + tries.incrementAndGet());
                }))
                .hasMessage("try 6");
        assertThat(pausesMillis).hasSize(5);
        for (int i = 0; i < 5; i++) {
            long step = 200L << i;
            assertThat(pausesMillis.get(i)).as("pause %d", i).isBetween(step / 2, step * 3 / 2);
        }
    }

    @Test
    void noPauseIsLongerThanOneAndAHalfTimesFiveSeconds() {
        for (int attempt = 0; attempt < 100; attempt++) {
            assertThat(warmup(1).backoffNanos(attempt)).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(7_500));
        }
    }

    private final AtomicInteger closed = new AtomicInteger();

    /** One that says this of itself; null: that fails. */
    private Connection connection(@Nullable Boolean valid) {
        return (Connection) Proxy.newProxyInstance(
                PoolWarmupTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "isValid" -> {
                            if (valid == null) {
                                throw new SQLException("no answer");
                            }
                            return valid;
                        }
                        case "close" -> closed.incrementAndGet();
                        default -> throw new UnsupportedOperationException(method.getName());
                    }
                    return null;
                });
    }

    @Test
    void aConnectionThatDoesNotAnswerIsClosedAndTriedAgain() throws SQLException {
        List<Connection> opened = new ArrayList<>(List.of(connection(false), connection(null), connection(true)));
        Connection good = opened.get(2);
        assertThat(warmup(1).open(() -> opened.remove(0))).isSameAs(good);
        assertThat(closed).hasValue(2);
        assertThat(pausesMillis).hasSize(2);
    }

    @Test
    void oneThatNeverAnswersIsAFailure() {
        assertThatThrownBy(() -> warmup(1).open(() -> connection(false)))
                .isInstanceOf(SQLException.class)
                .hasMessage("a new connection did not answer within 10 s");
        assertThat(closed).hasValue(6);
    }

    @Test
    void aConnectionThatComesAfterFailuresCounts() throws SQLException {
        AtomicInteger tries = new AtomicInteger();
        PoolWarmup warmup = warmup(1);
        warmup.open(() -> {
            if (tries.incrementAndGet() < 4) {
                throw new SQLException("not yet");
            }
            return connection(true);
        });
        assertThat(tries).hasValue(4);
        try (LogLines log = new LogLines()) {
            warmup.await(() -> 1, Duration.ofMinutes(1));
            assertThat(log.lines())
                    .contains("INFO DSQL pool warmup complete  connections_created=1 connections_failed=0"
                            + " final_open_connections=1");
        }
    }

    @Test
    void failuresEndTheWarmUpAndNotTheStart() {
        PoolWarmup warmup = warmup(2);
        try (LogLines log = new LogLines()) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> warmup.open(() -> {
                            throw new SQLException("no \"server\"\nhere");
                        }))
                        .isInstanceOf(SQLException.class);
            }
            warmup.await(() -> 0, Duration.ofMinutes(1));
            assertThat(warmup.isOver()).isTrue();
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Pool warmup connection failed  attempts=6 error=\"no 'server' here\"",
                            "WARN Pool warmup connection failed  attempts=6 error=\"no 'server' here\"",
                            "INFO Starting DSQL pool warmup  current_connections=0 target_connections=2"
                                    + " connections_to_create=2",
                            "INFO DSQL pool warmup complete  connections_created=0 connections_failed=2"
                                    + " final_open_connections=0");
        }
        pausesMillis.clear();
        assertThatThrownBy(() -> warmup.open(() -> {
                    throw new SQLException("late");
                }))
                .hasMessage("late");
        assertThat(pausesMillis).as("nobody waits for it any more").isEmpty();
    }

    @Test
    void itEndsAfterItsTimeWhateverHappens() {
        PoolWarmup warmup = warmup(5);
        warmup.await(() -> 0, Duration.ofMillis(60));
        assertThat(warmup.isOver()).isTrue();
    }
}
