package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.spi.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reservoirs of one process share their threads, do not delay each other there, and the last one ends them. */
class SharedThreadsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Reservoir<Object>> made = new ArrayList<>();

    @AfterEach
    void noThreadIsLeft() {
        end.countDown();
        made.forEach(Reservoir::close);
        await().atMost(LONG).untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("reservoir-"))
                .sorted()
                .toList();
    }

    private Reservoir<Object> reservoir(String name, Listener<Object> listener) {
        Reservoir<Object> reservoir = Reservoir.builder(new InstantConnector())
                .name(name)
                .targets(Targets.of(2))
                .listener(listener)
                .build();
        made.add(reservoir);
        return reservoir;
    }

    private void hang() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void manyReservoirsHaveNoThreadEach() throws Exception {
        for (int i = 0; i < 200; i++) {
            reservoir("many-" + i, new Listener<>() {});
        }
        for (Reservoir<Object> reservoir : made) {
            assertThat(reservoir.awaitReady(2, LONG)).isTrue();
            Pooled<Object> connection = reservoir.acquire(LONG);
            reservoir.release(connection);
        }
        assertThat(threads()).hasSizeLessThan(200);
        // The threads for events end when there is nothing left to tell.
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(threads())
                        .hasSizeBetween(3, 5)
                        .allMatch(name -> name.startsWith("reservoir-loop-") || name.equals("reservoir-spare")));
    }

    @Test
    void theThreadsStayForAReservoirThatIsLeftAndComeAgainAfterTheLast() throws Exception {
        Reservoir<Object> first = reservoir("first", new Listener<>() {});
        Reservoir<Object> second = reservoir("second", new Listener<>() {});
        first.close();
        assertThat(second.whenReady(2).get(1, TimeUnit.MINUTES)).isNull();
        second.close();
        await().atMost(LONG).untilAsserted(() -> assertThat(threads()).isEmpty());

        assertThat(reservoir("third", new Listener<>() {}).whenReady(2).get(1, TimeUnit.MINUTES))
                .isNull();
    }

    @Test
    void listenersThatHangDelayNoListenerOfAnotherReservoir() throws Exception {
        CountDownLatch hanging = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            reservoir("hanging-" + i, new Listener<>() {
                @Override
                public void opened(Pooled<Object> connection, long openNanos) {
                    hanging.countDown();
                    hang();
                }
            });
        }
        assertThat(hanging.await(1, TimeUnit.MINUTES)).isTrue();
        CompletableFuture<String> told = new CompletableFuture<>();
        reservoir("healthy", new Listener<>() {
            @Override
            public void opened(Pooled<Object> connection, long openNanos) {
                told.complete(Thread.currentThread().getName());
            }
        });
        assertThat(told.get(1, TimeUnit.MINUTES)).isEqualTo("reservoir-healthy");
    }

    @Test
    void actionsThatHangDelayNoFutureOfAnotherReservoir() throws Exception {
        CountDownLatch hanging = new CountDownLatch(20);
        for (int i = 0; i < 5; i++) {
            Reservoir<Object> reservoir = reservoir("busy-" + i, new Listener<>() {});
            List<Pooled<Object>> held = List.of(reservoir.acquire(LONG), reservoir.acquire(LONG));
            for (int j = 0; j < 4; j++) {
                var unused = reservoir.acquireAsync(LONG.toNanos()).thenAccept(connection -> {
                    reservoir.release(connection);
                    hanging.countDown();
                    hang();
                });
            }
            held.forEach(reservoir::release);
        }
        assertThat(hanging.await(1, TimeUnit.MINUTES)).isTrue();
        Reservoir<Object> healthy = reservoir("healthy", new Listener<>() {});
        Pooled<Object> first = healthy.acquire(LONG);
        Pooled<Object> second = healthy.acquire(LONG);
        CompletableFuture<String> served = healthy.acquireAsync(LONG.toNanos()).thenApply(connection -> {
            healthy.release(connection);
            return Thread.currentThread().getName();
        });
        healthy.release(first);
        healthy.release(second);
        assertThat(served.get(1, TimeUnit.MINUTES)).startsWith("reservoir-healthy-callback-");
    }
}
