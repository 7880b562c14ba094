package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Listener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The methods that code needs which runs many data sources. */
class ManagedByARegistryTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private static ReservoirDataSourceBuilder builder() {
        return ReservoirDataSource.builder()
                .url(TestPostgres.url())
                .maxOpen(1)
                .drainTimeout(Duration.ZERO)
                .jmx(false);
    }

    private static void use(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
    }

    @Test
    void aCallerBringsItsOwnTimeoutOrDoesNotWait() throws SQLException {
        try (ReservoirDataSource dataSource = builder().build();
                Connection only = dataSource.getConnection(LONG)) {
            use(only);
            assertThat(dataSource.counts().inUse()).isEqualTo(1);
            assertThat(dataSource.tryConnection()).isNull();
            long begun = System.nanoTime();
            assertThatThrownBy(() -> dataSource.getConnection(Duration.ofMillis(50)))
                    .hasMessageContaining("no connection within 50 ms");
            assertThatThrownBy(() -> dataSource.getConnection(Duration.ofMillis(-1)))
                    .isInstanceOf(SQLException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG);
        }
    }

    @Test
    void aReadyConnectionIsHandedOutWithoutAWaitUnlessItNeedsAValidation() throws SQLException {
        try (ReservoirDataSource dataSource =
                builder().validationIdle(Duration.ofHours(1)).build()) {
            dataSource.getConnection().close();
            try (Connection ready = dataSource.tryConnection()) {
                assertThat(ready).isNotNull();
            }
        }
        try (ReservoirDataSource dataSource =
                builder().validation(Validation.CHECKOUT).build()) {
            dataSource.getConnection().close();
            assertThat(dataSource.tryConnection()).isNull();
            assertThat(dataSource.counts().ready()).isEqualTo(1);
        }
        assertThat(new ReservoirDataSource().tryConnection()).isNull();
    }

    @Test
    void aConnectionThatRanSomethingIsResetAfterItsRollback() throws SQLException {
        List<Boolean> autoCommitAtReset = new CopyOnWriteArrayList<>();
        try (ReservoirDataSource dataSource = builder()
                .connectionReset(connection -> autoCommitAtReset.add(connection.getAutoCommit()))
                .build()) {
            dataSource.getConnection().close();
            assertThat(autoCommitAtReset).as("nothing was run").isEmpty();
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                use(connection);
            }
            assertThat(autoCommitAtReset).containsExactly(true);
        }
    }

    @Test
    void aConnectionWhoseResetFailsIsDiscarded() throws SQLException {
        try (ReservoirDataSource dataSource = builder()
                .connectionReset(connection -> {
                    throw new SQLException("cannot be cleared", "HY000");
                })
                .build()) {
            try (Connection connection = dataSource.getConnection()) {
                use(connection);
            }
            dataSource.getConnection().close();
            assertThat(dataSource.stats().opened()).isEqualTo(2);
        }
    }

    @Test
    void aConnectionThatAListenerReceivedCanBeRetired() throws SQLException {
        CompletableFuture<Pooled<Object>> opened = new CompletableFuture<>();
        try (ReservoirDataSource dataSource = builder()
                .listener(new Listener<>() {
                    @Override
                    public void opened(Pooled<Object> connection, long openNanos) {
                        opened.complete(connection);
                    }
                })
                .build()) {
            try (Connection connection = dataSource.getConnection()) {
                use(connection);
                Pooled<Object> pooled = opened.join();
                assertThat(pooled.isInUse()).isTrue();
                assertThat(pooled.uses()).isEqualTo(1);
                dataSource.evict(pooled);
                use(connection);
            }
            await().until(() -> dataSource.stats().opened() == 2);
            dataSource.evict(opened.join());
        }
    }

    @Test
    void aCloseWithoutAWaitingThreadDrains() throws SQLException {
        ReservoirDataSource dataSource = builder().build();
        Connection connection = dataSource.getConnection();
        CompletableFuture<Void> closed = dataSource.closeAsync(LONG).toCompletableFuture();
        use(connection);
        assertThat(closed).isNotDone();
        assertThat(dataSource.tryConnection()).isNull();
        assertThatThrownBy(dataSource::getConnection).hasMessageContaining("closed");
        connection.close();
        assertThat(closed).succeedsWithin(LONG);
        assertThat(new ReservoirDataSource().closeAsync(LONG).toCompletableFuture())
                .isDone();
    }

    @Test
    void theDriverLeavesUrlsOfOtherModulesToTheirDrivers() throws SQLException {
        ReservoirDriver driver = new ReservoirDriver();
        assertThat(driver.acceptsURL("jdbc:reservoir:orders")).isTrue();
        assertThat(driver.acceptsURL("jdbc:reservoir:remote:pg?localUser=ann")).isFalse();
        assertThat(driver.acceptsURL("jdbc:reservoir:sys:default")).isFalse();
        assertThat(driver.connect("jdbc:reservoir:remote:pg", null)).isNull();
    }
}
