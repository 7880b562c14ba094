package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.spi.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Code of the application that hangs, in a listener, in a callback or in the common pool, stops nothing of the
 * reservoir.
 */
class HangingApplicationTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void letGo() {
        end.countDown();
    }

    private void hang() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Reservoir<Object> reservoir(Listener<Object> listener) {
        return Reservoir.builder(new InstantConnector())
                .name("hanging")
                .targets(Targets.of(3))
                .settings(Settings.builder().successorAllowance(0).build())
                .listener(listener)
                .build();
    }

    @Test
    void whileAListenerHangsConnectionsAreOpenedServedAndClosedAndDeadlinesHold() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        AtomicInteger discarded = new AtomicInteger();
        try (Reservoir<Object> reservoir = reservoir(new Listener<>() {
            @Override
            public void discarded(Pooled<Object> connection, DiscardReason reason, long remainingNanos) {
                discarded.incrementAndGet();
                hangs.countDown();
                hang();
            }
        })) {
            assertThat(reservoir.awaitReady(3, LONG)).isTrue();
            reservoir.flush();
            hangs.await();
            await().atMost(LONG).until(() -> reservoir.stats().opened() >= 6);
            assertThat(reservoir.awaitReady(3, LONG)).isTrue();
            List<Pooled<Object>> held = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                held.add(reservoir.acquire(LONG));
            }
            CompletableFuture<Pooled<Object>> waiting =
                    reservoir.acquireAsync(Duration.ofMillis(10).toNanos());
            assertThatThrownBy(waiting::get).hasCauseInstanceOf(NoConnectionException.class);
            held.forEach(reservoir::release);
        }
        assertThat(discarded.get()).as("the others wait behind it").isEqualTo(1);
        end.countDown();
        await().atMost(LONG).until(() -> discarded.get() == 6);
    }

    @Test
    void aCallbackThatHangsStopsNeitherOtherCallbacksNorTheEnd() throws Exception {
        Reservoir<Object> reservoir = reservoir(new Listener<>() {});
        CountDownLatch hangs = new CountDownLatch(1);
        var unused = reservoir.whenReady(3).thenRun(() -> {
            hangs.countDown();
            hang();
        });
        hangs.await();
        assertThat(reservoir.whenReady(3).get(1, java.util.concurrent.TimeUnit.MINUTES))
                .isNull();
        reservoir.close();
        assertThat(reservoir.isClosed()).isTrue();
        assertThat(reservoir.stats().closed()).isEqualTo(3);
    }

    /**
     * The system gives no thread for callbacks: neither the event loop nor whoever releases a connection stands in for
     * it.
     */
    @Test
    void ifNoThreadCanBeHadForACallbackItRunsOnTheSpareThread() throws Exception {
        try (Reservoir<Object> reservoir = Reservoir.builder(new InstantConnector())
                .name("starved")
                .targets(Targets.of(1))
                .callbacks(task -> {
                    throw new OutOfMemoryError("unable to create native thread: made up by a test");
                })
                .build()) {
            Pooled<Object> held = reservoir.acquire(LONG);
            CompletableFuture<String> ranOn = reservoir
                    .acquireAsync(LONG.toNanos())
                    .thenApply(pooled -> {
                        reservoir.release(pooled);
                        return Thread.currentThread().getName();
                    });
            reservoir.release(held);
            assertThat(ranOn.get(1, java.util.concurrent.TimeUnit.MINUTES)).isEqualTo("reservoir-spare");
            CompletableFuture<String> toldOn = reservoir
                    .whenReady(1)
                    .thenApply(nothing -> Thread.currentThread().getName());
            // If it was told before it asked, it runs this itself.
            String self = Thread.currentThread().getName();
            assertThat(toldOn.get(1, java.util.concurrent.TimeUnit.MINUTES)).isIn("reservoir-spare", self);
            CompletableFuture<String> endedOn = reservoir
                    .closeAsync(Duration.ZERO)
                    .thenApply(nothing -> Thread.currentThread().getName());
            assertThat(endedOn.get(1, java.util.concurrent.TimeUnit.MINUTES)).isIn("reservoir-spare", self);
        }
    }

    @Test
    void aCommonPoolThatIsBusyConcernsNobody() throws Exception {
        for (int i = 0; i < Math.max(1, ForkJoinPool.getCommonPoolParallelism()); i++) {
            ForkJoinPool.commonPool().execute(this::hang);
        }
        try (Reservoir<Object> reservoir = reservoir(new Listener<>() {})) {
            assertThat(reservoir.awaitReady(3, LONG)).isTrue();
            assertThat(reservoir.whenReady(3).get(1, java.util.concurrent.TimeUnit.MINUTES))
                    .isNull();
            assertThat(reservoir.closeAsync(Duration.ZERO).get(1, java.util.concurrent.TimeUnit.MINUTES))
                    .isNull();
        }
    }

    @Test
    void threadsAreMadeByTheApplicationsFactoryAndNamedAfterTheReservoir() throws Exception {
        List<Thread> made = new java.util.concurrent.CopyOnWriteArrayList<>();
        CountDownLatch heard = new CountDownLatch(1);
        try (Reservoir<Object> reservoir = Reservoir.builder(new InstantConnector())
                .name("named")
                .threadFactory(task -> {
                    Thread thread = new Thread(task);
                    made.add(thread);
                    return thread;
                })
                .listener(new Listener<>() {
                    @Override
                    public void opened(Pooled<Object> connection, long openNanos) {
                        heard.countDown();
                    }
                })
                .build()) {
            assertThat(reservoir.whenReady(1).get(1, java.util.concurrent.TimeUnit.MINUTES))
                    .isNull();
            heard.await();
            assertThat(made).hasSizeGreaterThanOrEqualTo(3);
            assertThat(made)
                    .allMatch(thread -> thread.isDaemon() && thread.getName().startsWith("reservoir-named"));
        }
    }

    @Test
    void eventsBeyondWhatAListenerCanTakeAreDroppedAndCounted() {
        List<Runnable> taken = new ArrayList<>();
        boolean[] refuses = {true};
        var events = new dev.reservoir.core.util.EventDispatcher(
                task -> {
                    if (refuses[0]) {
                        throw new java.util.concurrent.RejectedExecutionException();
                    }
                    taken.add(task);
                },
                org.slf4j.LoggerFactory.getLogger("events"));
        events.run(() -> {});
        events.run(() -> {});
        refuses[0] = false;
        events.run(() -> {});
        assertThat(taken)
                .as("the event, and the line that says how many were dropped")
                .hasSize(2);
    }
}
