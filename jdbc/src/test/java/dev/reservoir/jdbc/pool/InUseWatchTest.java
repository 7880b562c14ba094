package dev.reservoir.jdbc.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Connections that are in use for too long are reported, and taken back if a setting asks for that. */
class InUseWatchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.reservoir");
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch hang = new CountDownLatch(1);
    private volatile boolean hangs;
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            event.getThreadName();
            events.add(event);
            try {
                if (hangs && event.getFormattedMessage().contains("in use for too long")) {
                    hang.await();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    };

    @BeforeEach
    void listen() {
        appender.setContext(logger.getLoggerContext());
        appender.start();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(appender);
    }

    @AfterEach
    void stopListening() {
        hang.countDown();
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    private List<ILoggingEvent> logged(Level level, String text, String name) {
        return events.stream()
                .filter(e -> e.getLevel() == level
                        && e.getFormattedMessage().contains(text)
                        && e.getFormattedMessage().endsWith("reservoir=" + name))
                .toList();
    }

    private static ReservoirDataSourceBuilder one(String name) {
        return ReservoirDataSource.builder()
                .name(name)
                .url(TestPostgres.url())
                .maxOpen(1)
                .drainTimeout(Duration.ZERO)
                .acquireTimeout(PATIENCE);
    }

    @Test
    void aUseThatTakesTooLongIsReportedOnceWithItsStackAndOnceMoreWhenItEnds() throws SQLException {
        try (ReservoirDataSource dataSource =
                one("leaking").leakDetectionThreshold(Duration.ofMillis(50)).build()) {
            Connection held = dataSource.getConnection();
            await().atMost(PATIENCE)
                    .until(() -> !logged(Level.WARN, "is in use for too long", "leaking")
                            .isEmpty());
            held.close();
            await().atMost(PATIENCE)
                    .until(() -> !logged(Level.INFO, "a connection came back", "leaking")
                            .isEmpty());

            assertThat(logged(Level.WARN, "is in use for too long", "leaking"))
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.getFormattedMessage())
                                .contains("threshold=50ms thread=\""
                                        + Thread.currentThread().getName() + "\" reservoir=leaking");
                        assertThat(event.getThreadName()).isEqualTo("reservoir-leaking");
                        assertThat(event.getThrowableProxy()
                                        .getStackTraceElementProxyArray()[0]
                                        .getStackTraceElement()
                                        .getClassName())
                                .isEqualTo(InUseWatchTest.class.getName());
                    });
            assertThat(logged(Level.INFO, "a connection came back", "leaking")).hasSize(1);
        }
    }

    @Test
    void whatAPoolOnTopHoldsIsNotReported() throws SQLException {
        try (ReservoirDataSource dataSource = one("under-a-pool")
                        .maxOpen(2)
                        .emptyWait(PATIENCE)
                        .leakDetectionThreshold(Duration.ofMillis(50))
                        .build();
                Connection ofPool = DriverManager.getConnection("jdbc:reservoir:under-a-pool");
                Connection ofCaller = dataSource.getConnection()) {
            assertThat(ofPool.isClosed() || ofCaller.isClosed()).isFalse();
            await().atMost(PATIENCE)
                    .until(() -> !logged(Level.WARN, "is in use for too long", "under-a-pool")
                            .isEmpty());
        }
        assertThat(logged(Level.WARN, "is in use for too long", "under-a-pool")).hasSize(1);
    }

    @Test
    void aShortUseIsNotReported() throws SQLException {
        try (ReservoirDataSource dataSource =
                one("brief").leakDetectionThreshold(Duration.ofMinutes(10)).build()) {
            for (int i = 0; i < 100; i++) {
                dataSource.getConnection().close();
            }
        }
        assertThat(events).noneMatch(e -> e.getFormattedMessage().contains("too long"));
    }

    @Test
    void anAppenderThatHangsDelaysNoDeadline() throws SQLException {
        hangs = true;
        try (ReservoirDataSource dataSource = one("hung-log")
                .leakDetectionThreshold(Duration.ofMillis(50))
                .acquireTimeout(Duration.ofMillis(200))
                .build()) {
            Connection held = dataSource.getConnection();
            await().atMost(PATIENCE)
                    .until(() -> !logged(Level.WARN, "is in use for too long", "hung-log")
                            .isEmpty());
            // The logging thread holds the lock of the appender. Nothing else may log in this test from here on.
            logger.detachAppender(appender);

            assertThatThrownBy(dataSource::getConnection).isInstanceOf(SQLException.class);
            held.close();
            dataSource.getConnection().close();
        } finally {
            hang.countDown();
        }
    }

    @Test
    void anAbandonedConnectionIsTakenFromItsCallerAndTheNextOneIsServed() throws SQLException {
        try (ReservoirDataSource dataSource =
                one("abandoned").abandonedTimeout(Duration.ofMillis(100)).build()) {
            Connection forgotten = dataSource.getConnection();

            try (Connection next = dataSource.getConnection();
                    Statement statement = next.createStatement()) {
                assertThat(statement.execute("select 1")).isTrue();
            }
            await().atMost(PATIENCE)
                    .until(() -> !logged(Level.WARN, "was taken from its caller", "abandoned")
                            .isEmpty());

            assertThat(dataSource.stats().discards()).containsEntry(DiscardReason.ABANDONED, 1L);
            ILoggingEvent event =
                    logged(Level.WARN, "was taken from its caller", "abandoned").get(0);
            assertThat(event.getFormattedMessage()).contains("abandoned_timeout=100ms", "reservoir=abandoned");
            assertThat(event.getThreadName()).isEqualTo("reservoir-abandoned");
            assertThat(Arrays.stream(event.getThrowableProxy().getStackTraceElementProxyArray())
                            .map(Object::toString))
                    .anyMatch(frame -> frame.contains("anAbandonedConnectionIsTakenFromItsCaller"));
            assertThat(forgotten.isClosed()).isTrue();
            forgotten.close();
            assertThat(dataSource.stats().inUse()).isZero();
        }
    }

    @Test
    void whatAPoolOnTopHoldsIsNotTakenWhenACallersOwnIs() throws SQLException {
        try (ReservoirDataSource dataSource = one("abandoned-beside-a-pool")
                        .maxOpen(2)
                        .emptyWait(PATIENCE)
                        .abandonedTimeout(Duration.ofMillis(100))
                        .build();
                Connection ofPool = DriverManager.getConnection("jdbc:reservoir:abandoned-beside-a-pool")) {
            for (long taken = 1; taken <= 3; taken++) {
                Connection forgotten = dataSource.getConnection();
                long expected = taken;
                await().atMost(PATIENCE).until(forgotten::isClosed);
                await().atMost(PATIENCE)
                        .until(
                                () -> dataSource.stats().discards().get(DiscardReason.ABANDONED),
                                count -> count != null && count == expected);
            }
            try (Statement statement = ofPool.createStatement()) {
                assertThat(statement.execute("select 1")).isTrue();
            }
            assertThat(dataSource.stats().discards()).containsOnly(Map.entry(DiscardReason.ABANDONED, 3L));
        }
    }

    @Test
    void aConnectionThatIsGivenBackJustInTimeIsNotTaken() throws SQLException {
        try (ReservoirDataSource dataSource =
                one("just-in-time").abandonedTimeout(Duration.ofHours(1)).build()) {
            WrappedConnection inUse = (WrappedConnection) dataSource.getConnection();
            inUse.close();

            assertThat(inUse.reclaim()).isFalse();
            assertThat(dataSource.stats().discards()).isEmpty();
        }
    }

    @Test
    void aConnectionIsTakenFromACallThatHangsOnce() throws Exception {
        try (ReservoirDataSource dataSource = one("abandoned-inside-a-call")
                .abandonedTimeout(Duration.ofMillis(100))
                .build()) {
            Connection forgotten = dataSource.getConnection();
            try (Statement statement = forgotten.createStatement()) {
                assertThatThrownBy(() -> statement.execute("select pg_sleep(600)"))
                        .isInstanceOf(SQLException.class);
            }
            forgotten.close();
            dataSource.getConnection().close();
            assertThat(dataSource.stats().discards()).containsOnly(Map.entry(DiscardReason.ABANDONED, 1L));
        }
    }
}
