package dev.reservoir.bench.rationed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RationedDatabaseTest {

    private static final RationLimits LIMITS =
            new RationLimits(100, 3, Duration.ofMillis(30), 5, Duration.ofSeconds(60));

    /** Moved by the connects themselves, which sleep on it, and by the tests. */
    private final AtomicLong nowNanos = new AtomicLong(7);

    private final RationedDatabase database =
            RationedDatabase.start("test", LIMITS, nowNanos::get, nowNanos::addAndGet);

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void aConnectTakesItsTime() throws SQLException {
        database.connect("a");
        assertThat(nowNanos).hasValue(7 + Duration.ofMillis(30).toNanos());
    }

    @Test
    void refusesBeyondTheRateWith53400AndCountsIt() throws SQLException {
        database.limit(new RationLimits(1, 3, Duration.ofMillis(30), 5, Duration.ofSeconds(60)));
        for (int i = 0; i < 3; i++) {
            database.connect("a");
        }
        assertState("53400", () -> database.connect("a"));
        RationCounts counts = database.counts();
        assertThat(counts.attempts()).isEqualTo(4);
        assertThat(counts.opened()).isEqualTo(3);
        assertThat(counts.refusedByRate()).isEqualTo(1);
        assertThat(counts.refused()).isEqualTo(1);
        advance(Duration.ofSeconds(1));
        assertThat(database.connect("a")).isNotNull();
    }

    @Test
    void refusesBeyondTheOpenConnectionsWith53300UntilOneIsClosed() throws SQLException {
        Connection first = database.connect("a");
        for (int i = 0; i < 4; i++) {
            database.connect("a");
        }
        assertState("53300", () -> database.connect("a"));
        first.close();
        first.close();
        assertThat(database.counts().open()).isEqualTo(4);
        database.connect("a");
        assertThat(database.counts().openMax()).isEqualTo(5);
        assertThat(database.counts().refusedByCount()).isEqualTo(1);
    }

    @Test
    void callsFailWith08006OnceAConnectionIsTooOld() throws SQLException {
        Connection connection = database.connect("a");
        Statement statement = connection.createStatement();
        assertThat(statement.execute("SELECT 1")).isFalse();
        advance(Duration.ofSeconds(59));
        assertThat(connection.isValid(1)).isTrue();
        assertThat(database.usable()).isEqualTo(1);
        advance(Duration.ofSeconds(1));
        assertThat(connection.isValid(1)).isFalse();
        assertThat(database.usable()).isZero();
        assertState("08006", () -> statement.execute("SELECT 1"));
        assertThat(database.counts().brokenByAge()).isEqualTo(1);
        assertThat(database.counts().open()).isEqualTo(1);
    }

    @Test
    void remembersTheFewestOpenSinceTheMark() throws SQLException {
        Connection first = database.connect("a");
        Connection second = database.connect("a");
        database.connect("a");
        database.markLow();
        first.close();
        second.close();
        database.connect("a");
        assertThat(database.counts().openMin()).isEqualTo(1);
        assertThat(database.counts().open()).isEqualTo(2);
    }

    @Test
    void knowsWhatEachClientHasOpen() throws SQLException {
        database.connect("a");
        Connection ofB = database.connect("b");
        assertThat(database.allHave(List.of("a", "b"), 1)).isTrue();
        assertThat(database.allHave(List.of("a", "b", "c"), 1)).isFalse();
        ofB.close();
        assertThat(database.allHave(List.of("a", "b"), 1)).isFalse();
    }

    @Test
    void onlyTheChosenConnectHangs() throws SQLException {
        database.hang(2, Duration.ofSeconds(30));
        assertThat(timeOfConnect()).isEqualTo(Duration.ofMillis(30));
        assertThat(timeOfConnect()).isEqualTo(Duration.ofMillis(30_030));
        assertThat(timeOfConnect()).isEqualTo(Duration.ofMillis(30));
        assertThat(timeOfConnect()).isEqualTo(Duration.ofMillis(30));
    }

    @Test
    void anInterruptedConnectGivesItsPlaceBack() throws SQLException {
        try (RationedDatabase interrupted = RationedDatabase.start(
                "interrupted",
                new RationLimits(100, 3, Duration.ofMillis(30), 1, Duration.ofSeconds(60)),
                nowNanos::get,
                nanos -> {
                    throw new InterruptedException();
                })) {
            assertState("08001", () -> interrupted.connect("a"));
            assertThat(Thread.interrupted()).isTrue();
            assertState("08001", () -> interrupted.connect("a"));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(interrupted.counts().refusedByCount()).isZero();
        }
    }

    @Test
    void isReachedThroughItsDriverByName() throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.url("a"))) {
            assertThat(connection.isValid(1)).isTrue();
            assertThat(database.allHave(List.of("a"), 1)).isTrue();
        }
        assertState("08001", () -> DriverManager.getConnection("jdbc:rationed:nowhere/a"));
    }

    private Duration timeOfConnect() throws SQLException {
        long beganNanos = nowNanos.get();
        database.connect("a");
        return Duration.ofNanos(nowNanos.get() - beganNanos);
    }

    private void advance(Duration time) {
        nowNanos.addAndGet(time.toNanos());
    }

    private static void assertState(String sqlState, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(sqlState));
    }
}
