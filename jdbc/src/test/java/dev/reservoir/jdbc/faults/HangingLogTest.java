package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Application code that hangs in a log appender, a listener or the common pool delays no start, checkout or close. */
@Timeout(120)
class HangingLogTest {
    private static final int POOL = 2;

    private final CountDownLatch end = new CountDownLatch(1);
    private final CountDownLatch hanging = new CountDownLatch(1);

    @AfterEach
    void goOn() {
        end.countDown();
    }

    private void hang() {
        hanging.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ReservoirDataSourceBuilder builder(String name) {
        return Pools.named(name, TestPostgres.url()).maxOpen(POOL).acquireTimeout(Duration.ofSeconds(1));
    }

    @Test
    void aLogAppenderThatHangs() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.reservoir");
        Level before = logger.getLevel();
        UnsynchronizedAppenderBase<ILoggingEvent> appender = new UnsynchronizedAppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                hang();
            }
        };
        appender.setContext(logger.getLoggerContext());
        appender.start();
        logger.setLevel(Level.DEBUG);
        logger.setAdditive(false);
        logger.addAppender(appender);
        // A setting that is replaced with a warning.
        Duration replaced = Duration.ofSeconds(-1);
        try (ReservoirDataSource pool =
                builder("hanging-log").guardWindow(replaced).build()) {
            checkService(pool);
        } finally {
            end.countDown();
            logger.detachAppender(appender);
            logger.setAdditive(true);
            logger.setLevel(before);
        }
        Pools.assertNoThreads("hanging-log");
    }

    @Test
    void aListenerThatHangs() throws Exception {
        Listener<Object> listener = new Listener<>() {
            @Override
            public void opened(Pooled<Object> connection, long openNanos) {
                hang();
            }

            @Override
            public void discarded(Pooled<Object> connection, DiscardReason reason, long remainingNanos) {
                hang();
            }

            @Override
            public void waitBegan() {
                hang();
            }
        };
        try (ReservoirDataSource pool =
                builder("hanging-listener").listener(listener).build()) {
            checkService(pool);
        }
        end.countDown();
        Pools.assertNoThreads("hanging-listener");
    }

    @Test
    void aCommonPoolThatIsBusy() throws Exception {
        for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
            ForkJoinPool.commonPool().execute(this::hang);
        }
        hanging.await();
        try (ReservoirDataSource pool = builder("hanging-common-pool").build()) {
            checkService(pool);
        }
        Pools.assertNoThreads("hanging-common-pool");
    }

    /** If any of this hangs, the limit of the tests ends it. */
    private void checkService(ReservoirDataSource pool) throws Exception {
        hanging.await();
        assertThat(pool.stats().open())
                .as("the start waited until all were open")
                .isEqualTo(POOL);
        try (Connection first = pool.getConnection();
                Connection second = pool.getConnection()) {
            assertThat(Pools.pid(first)).isNotEqualTo(Pools.pid(second));
            assertThatThrownBy(pool::getConnection)
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .hasMessageContaining("no connection within 1");
            pool.evict(first);
        }
        Awaitility.await("the evicted one was replaced")
                .atMost(Pools.PATIENCE)
                .until(() -> pool.stats().ready() == POOL);
        Pools.useOnce(pool);
        pool.close();
        assertThat(pool.isClosed()).isTrue();
        assertThat(end.getCount()).as("it hangs still").isOne();
    }
}
