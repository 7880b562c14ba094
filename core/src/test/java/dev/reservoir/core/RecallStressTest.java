package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.kit.BugLog;
import dev.reservoir.core.kit.ThreadedConnector;
import dev.reservoir.core.kit.ThreadedConnector.Line;
import dev.reservoir.core.kit.Threads;
import dev.reservoir.core.spi.Leases;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Leases that are called back on real threads, while callers come and go: none is lost, and none is taken from a
 * caller.
 */
class RecallStressTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @BeforeEach
    void forgetOldBugs() {
        BugLog.clear();
    }

    /** Grants up to a limit, at once, from any thread. Holds a lock of its own while it calls back, as a source may. */
    private static final class Source implements Leases {
        final Object lock = new Object();
        final Set<String> out = ConcurrentHashMap.newKeySet();
        final AtomicInteger granted = new AtomicInteger();
        final AtomicInteger released = new AtomicInteger();
        final AtomicInteger wrongs = new AtomicInteger();
        final AtomicInteger holders = new AtomicInteger();
        volatile int limit;
        volatile Holder holder = leases -> 0;

        Source(int limit) {
            this.limit = limit;
        }

        @Override
        public CompletionStage<Lease> acquire() {
            synchronized (lock) {
                if (out.size() >= limit) {
                    return CompletableFuture.failedFuture(new IllegalStateException("none left of " + limit));
                }
                String id = "lease-" + granted.incrementAndGet();
                out.add(id);
                return CompletableFuture.completedFuture(() -> id);
            }
        }

        @Override
        public CompletionStage<Void> release(Lease lease) {
            synchronized (lock) {
                released.incrementAndGet();
                if (!out.remove(lease.id())) {
                    wrongs.incrementAndGet();
                }
                return CompletableFuture.completedFuture(null);
            }
        }

        int recall(int count) {
            synchronized (lock) {
                int before = out.size();
                int promised = holder.recall(count);
                if (promised > Math.min(count, before)) {
                    wrongs.incrementAndGet();
                }
                return promised;
            }
        }

        @Override
        public String describe() {
            synchronized (lock) {
                return "leases " + out.size() + " of " + limit;
            }
        }

        @Override
        public void attach(Holder value) {
            holders.incrementAndGet();
            holder = value;
        }

        @Override
        public void detach(Holder value) {
            holders.decrementAndGet();
        }
    }

    private static Reservoir<Line> reservoir(ThreadedConnector connector, Source source, Exhaustion exhaustion) {
        return Reservoir.builder(connector)
                .targets(Targets.of(6))
                .leases(source)
                .settings(Settings.builder()
                        .exhaustion(exhaustion)
                        .overflowMax(2)
                        .keepalive(Duration.ofMillis(10))
                        .scanInterval(Duration.ofMillis(5))
                        .backoff(Duration.ofMillis(1), Duration.ofMillis(5))
                        .build())
                .build();
    }

    @ParameterizedTest
    @EnumSource(Exhaustion.class)
    void everyLeaseIsAccountedForHoweverOftenSomeAreCalledBack(Exhaustion exhaustion) throws Exception {
        try (ThreadedConnector connector = new ThreadedConnector(500, 20)) {
            Source source = new Source(8);
            Reservoir<Line> reservoir = reservoir(connector, source, exhaustion);
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger wrongs = new AtomicInteger();
            AtomicInteger promised = new AtomicInteger();
            Threads.run(8, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                long end = System.nanoTime() + 500_000_000L;
                while (thread == 7 && !over.get()) {
                    promised.addAndGet(source.recall(random.nextInt(4)));
                    Threads.pauseBriefly();
                }
                while (System.nanoTime() < end) {
                    acquireAndRelease(reservoir, random, wrongs);
                }
                over.set(true);
            });
            assertThat(promised.get()).isPositive();
            await().atMost(LIMIT)
                    .until(() -> reservoir.stats().ready() == 6 && source.released.get() >= promised.get());
            assertThat(reservoir.stats().discards().getOrDefault(DiscardReason.LEASE_RECALLED, 0L))
                    .isLessThanOrEqualTo(promised.get());
            assertEnd(reservoir, connector, source);
            assertThat(wrongs).as("used by two at once, or after the end").hasValue(0);
        }
    }

    @Test
    void aSourceThatWantsAllBackGetsThemThoughCallersNeverStop() throws Exception {
        try (ThreadedConnector connector = new ThreadedConnector(0, 0)) {
            Source source = new Source(6);
            Reservoir<Line> reservoir = reservoir(connector, source, Exhaustion.WAIT);
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger wrongs = new AtomicInteger();
            Threads.run(7, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                try {
                    for (int round = 0; thread == 6 && round < 50; round++) {
                        source.limit = 6;
                        soon().until(() -> reservoir.counts().size() == 6);
                        source.limit = 0;
                        assertThat(source.recall(Integer.MAX_VALUE)).isEqualTo(6);
                        soon().until(() -> source.out.isEmpty());
                    }
                } finally {
                    if (thread == 6) {
                        over.set(true);
                    }
                }
                while (!over.get()) {
                    acquireAndRelease(reservoir, random, wrongs);
                }
            });
            assertEnd(reservoir, connector, source);
            assertThat(wrongs).as("used by two at once, or after the end").hasValue(0);
        }
    }

    private static ConditionFactory soon() {
        return await().atMost(LIMIT).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    private static void acquireAndRelease(Reservoir<Line> reservoir, SplittableRandom random, AtomicInteger wrongs)
            throws InterruptedException {
        try {
            Pooled<Line> pooled = reservoir.acquire(random.nextLong(2_000_000L));
            for (int n = random.nextInt(20); n >= 0; n--) {
                if (!pooled.connection().use()) {
                    wrongs.incrementAndGet();
                }
            }
            reservoir.release(pooled);
        } catch (NoConnectionException e) {
            // Part of the game.
        }
    }

    private static void assertEnd(Reservoir<Line> reservoir, ThreadedConnector connector, Source source) {
        reservoir.close(Duration.ofSeconds(30));
        await().atMost(LIMIT).until(() -> source.out.isEmpty() && connector.open.isEmpty());
        assertThat(source.released).hasValue(source.granted.get());
        assertThat(source.wrongs)
                .as("given back twice, or promised beyond what is held")
                .hasValue(0);
        assertThat(source.holders).hasValue(0);
        assertThat(source.recall(1)).isZero();
        assertThat(connector.wrongs)
                .as("closed twice, or validated while it was in use")
                .hasValue(0);
        assertThat(BugLog.first()).isNull();
    }
}
