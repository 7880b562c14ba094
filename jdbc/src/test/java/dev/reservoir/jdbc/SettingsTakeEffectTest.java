package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every setting reaches the part that uses it. */
class SettingsTakeEffectTest {
    private final FakeDatabase fake = new FakeDatabase();

    private ReservoirDataSourceBuilder builder() {
        return ReservoirDataSource.builder()
                .dataSource(fake)
                .maxOpen(3)
                .acquireTimeout(Duration.ofSeconds(30))
                .drainTimeout(Duration.ZERO);
    }

    @Test
    void theRateLimitHoldsConnectsBackAndIsNamedInTheError() throws SQLException {
        try (ReservoirDataSource dataSource = builder()
                        .connectionRateLimit(0.001)
                        .connectionBurstLimit(2)
                        .lowWatermark(2)
                        .targetReady(3)
                        .acquireTimeout(Duration.ofMillis(20))
                        .build();
                Connection one = dataSource.getConnection();
                Connection two = dataSource.getConnection()) {
            assertThat(one).isNotSameAs(two);
            assertThatThrownBy(dataSource::getConnection)
                    .hasMessageContaining("Limit reached: connection rate 0.00/s, burst 2");
            assertThat(fake.logins).hasSize(2);
        }
    }

    @Test
    void permitsReplaceTheRateLimit() throws InterruptedException {
        try (ReservoirDataSource dataSource = builder()
                .connectionRateLimit(0.001)
                .permits(LocalPermits.unlimited())
                .build()) {
            assertThat(dataSource.awaitReady(3, Duration.ofSeconds(30))).isTrue();
        }
    }

    @Test
    void everyConnectionHoldsALeaseUntilItIsClosed() {
        CountedLeases leases = new CountedLeases();
        try (ReservoirDataSource dataSource = builder().leases(leases).build()) {
            assertThat(dataSource.stats().open()).isEqualTo(3);
            assertThat(leases.held).hasSize(3);
        }
        assertThat(leases.held).isEmpty();
    }

    private static final class CountedLeases implements Leases {
        final Set<Lease> held = ConcurrentHashMap.newKeySet();
        private final AtomicInteger number = new AtomicInteger();

        @Override
        public CompletionStage<Lease> acquire() {
            String id = "lease-" + number.incrementAndGet();
            Lease lease = () -> id;
            held.add(lease);
            return CompletableFuture.completedFuture(lease);
        }

        @Override
        public CompletionStage<Void> release(Lease lease) {
            held.remove(lease);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public String describe() {
            return held.size() + " leases";
        }
    }

    @Test
    void aListenerHearsOfConnectionsAndCheckouts() throws SQLException {
        List<String> heard = new CopyOnWriteArrayList<>();
        Listener<Object> listener = new Listener<>() {
            @Override
            public boolean wantsCheckouts() {
                return true;
            }

            @Override
            public void opened(Pooled<Object> connection, long openNanos) {
                heard.add("opened");
            }

            @Override
            public void acquired(Pooled<Object> connection) {
                heard.add("inUse");
            }

            @Override
            public void released(Pooled<Object> connection) {
                heard.add("released");
            }

            @Override
            public void discarded(Pooled<Object> connection, DiscardReason reason, long remainingNanos) {
                heard.add("discarded " + reason.label());
            }
        };
        try (ReservoirDataSource dataSource =
                builder().maxOpen(1).listener(listener).build()) {
            await().until(() -> heard.contains("opened"));
            dataSource.getConnection().close();
        }
        assertThat(heard).containsExactly("opened", "inUse", "released", "discarded shutdown");
    }

    @Test
    void anotherErrorRuleDecidesWhatIsBad() throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .url(TestPostgres.url())
                .maxOpen(1)
                .errorRule(e -> "42P01".equals(e.getSQLState()))
                .build()) {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThatThrownBy(() -> statement.execute("select * from no_such_table"))
                        .isInstanceOf(SQLException.class);
            }
            await().untilAsserted(
                            () -> assertThat(dataSource.stats().discards()).containsEntry(DiscardReason.BAD, 1L));
        }
    }

    @Test
    void overflowHandsOutATemporaryConnection() throws SQLException {
        try (ReservoirDataSource dataSource = builder()
                .maxOpen(1)
                .exhaustion(Exhaustion.OVERFLOW)
                .overflowMax(1)
                .build()) {
            try (Connection one = dataSource.getConnection();
                    Connection two = dataSource.getConnection()) {
                assertThat(one.isClosed() || two.isClosed()).isFalse();
                assertThat(dataSource.stats().overflow()).isEqualTo(1);
            }
            await().untilAsserted(
                            () -> assertThat(dataSource.stats().discards()).containsEntry(DiscardReason.OVERFLOW, 1L));
        }
    }

    @Test
    void aFullQueueRefusesAtOnce() throws SQLException {
        try (ReservoirDataSource dataSource = builder().maxOpen(1).waitersMax(0).build();
                Connection one = dataSource.getConnection()) {
            assertThat(one.isClosed()).isFalse();
            assertThatThrownBy(dataSource::getConnection).hasMessageContaining("Limit reached: waitersMax (0)");
        }
    }

    @Test
    void aStaggeredStartWaitsForItsTurn() {
        // The wait is random below the maximum, so it almost certainly lasts longer than a second here.
        try (ReservoirDataSource dataSource = builder()
                .staggeredStartup(true)
                .staggeredStartupMaxDelay(Duration.ofDays(365))
                .initialFillTimeout(Duration.ofMillis(200))
                .build()) {
            assertThat(dataSource.stats().opening()).isZero();
            assertThat(fake.logins).isEmpty();
        }
    }

    @Test
    void aSurplusIsGivenUpWhenItIsIdle() {
        try (ReservoirDataSource dataSource = builder()
                .maxOpen(3)
                .targetReady(1)
                .minOpen(2)
                .idleTimeout(Duration.ofMillis(1))
                .initialFillTimeout(Duration.ofSeconds(30))
                .build()) {
            dataSource.setTargetReady(3);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dataSource.stats().open() == 3);

            dataSource.setTargetReady(1);

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dataSource.stats().open() == 2);
            assertThat(dataSource.stats().discards()).containsEntry(DiscardReason.IDLE, 1L);
        }
    }
}
