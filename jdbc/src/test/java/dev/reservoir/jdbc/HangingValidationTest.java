package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Reservoir;
import dev.reservoir.jdbc.FakeDatabase.FakeConnection;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A validation at checkout that hangs ends as soon as the server answers on other connections, and not before. */
@Timeout(120)
class HangingValidationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final FakeDatabase database = new FakeDatabase();
    private final CountDownLatch hang = new CountDownLatch(1);

    @AfterEach
    void letGo() {
        hang.countDown();
    }

    /** The validation timeout is much longer than these tests wait. */
    private ReservoirDataSourceBuilder hanging(String name, int maxOpen) {
        return ReservoirDataSource.builder()
                .name(name)
                .dataSource(database)
                .maxOpen(maxOpen)
                .acquireTimeout(PATIENCE)
                .validation(Validation.CHECKOUT)
                .validationTimeout(Duration.ofHours(1));
    }

    private void hangAll() {
        database.connections.forEach(connection -> connection.validHang = hang);
    }

    @Test
    void theCallerGetsAnotherConnectionAndTheLostOneIsClosed() throws Exception {
        for (int maxOpen : new int[] {1, 2, 10}) {
            String name = "hanging-validation-" + maxOpen;
            database.connections.clear();
            try (ReservoirDataSource pool = hanging(name, maxOpen).build()) {
                hangAll();
                List<FakeConnection> lost = List.copyOf(database.connections);
                try (Connection connection = pool.getConnection()) {
                    Connection raw = connection.unwrap(WrappedConnection.class).physical.raw;
                    assertThat(lost).noneMatch(each -> each.proxy == raw);
                }
                await().atMost(PATIENCE).until(() -> lost.stream().anyMatch(each -> each.aborted));
                assertThat(pool.stats().discards()).containsEntry(DiscardReason.UNRESPONSIVE, 1L);
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(LiveThreads.of(name)).isEmpty());
        }
    }

    @Test
    void theLostConnectionIsReplacedThoughItsCallerHasGone() throws Exception {
        try (ReservoirDataSource pool = hanging("hanging-alone", 1)
                .acquireTimeout(Duration.ofMillis(100))
                .build()) {
            hangAll();
            assertThatThrownBy(pool::getConnection).isInstanceOf(SQLTransientConnectionException.class);
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(pool.stats().discards()).containsEntry(DiscardReason.UNRESPONSIVE, 1L));
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(SQLTransientConnectionException.class)
                    .untilAsserted(() -> pool.getConnection().close());
            assertThat(pool.stats().inUse()).isZero();
        }
    }

    @Test
    void aConnectionThatAnswersLateIsNotTakenFromItsCaller() throws Exception {
        // No other connection is validated, so that nothing is known about the server until the late answer.
        try (ReservoirDataSource pool =
                hanging("late-answer", 1).successorAllowance(0).build()) {
            hangAll();
            FakeConnection only = database.connections.get(0);
            CompletableFuture<Connection> caller = new CompletableFuture<>();
            var thread = Executors.newSingleThreadExecutor();
            try {
                thread.execute(() -> {
                    try {
                        caller.complete(pool.getConnection());
                    } catch (Exception | Error e) {
                        caller.completeExceptionally(e);
                    }
                });
                await().atMost(PATIENCE).until(() -> only.calls.contains("isValid"));
                TimeUnit.NANOSECONDS.sleep(Reservoir.DOUBT_AFTER.plusMillis(500).toNanos());
                hang.countDown();
                try (Connection connection = caller.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    // The server answers a connect while the caller uses its connection.
                    pool.setMaxOpen(2);
                    await().atMost(PATIENCE).until(() -> pool.stats().ready() == 1);
                    assertThat(connection.isValid(1)).isTrue();
                    assertThat(only.aborted).isFalse();
                    assertThat(pool.stats().discards()).isEmpty();
                }
            } finally {
                thread.shutdownNow();
            }
        }
    }
}
