package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.kit.BugLog;
import dev.reservoir.core.kit.ThreadedConnector;
import dev.reservoir.core.kit.ThreadedConnector.Line;
import dev.reservoir.core.kit.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine on real threads: every connection accounted for, none used by two, and no wake-up lost. */
class ReservoirStressTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @BeforeEach
    void forgetOldBugs() {
        BugLog.clear();
    }

    private static Settings.Builder restless() {
        return Settings.builder()
                .baseLifetime(Duration.ofMillis(120))
                .lifetimeJitter(Duration.ofMillis(60))
                .guardWindow(Duration.ofMillis(20))
                .scanInterval(Duration.ofMillis(5))
                .keepalive(Duration.ofMillis(10))
                .idleTimeout(Duration.ofMillis(15))
                .backoff(Duration.ofMillis(1), Duration.ofMillis(5));
    }

    @ParameterizedTest
    @EnumSource(Exhaustion.class)
    void everyConnectionIsAccountedForAfterWildUse(Exhaustion exhaustion) throws Exception {
        try (ThreadedConnector connector = new ThreadedConnector(1_500, 20)) {
            Reservoir<Line> reservoir = Reservoir.builder(connector)
                    .targets(new Targets(6, 4, 2, 1))
                    .settings(restless().exhaustion(exhaustion).overflowMax(3).build())
                    .build();
            AtomicReferenceArray<Thread> callers = new AtomicReferenceArray<>(10);
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger served = new AtomicInteger();
            AtomicInteger wrongs = new AtomicInteger();
            Threads.run(12, thread -> {
                if (thread == 11) {
                    disturb(reservoir, callers, over);
                } else if (thread == 10) {
                    manage(reservoir, over);
                } else {
                    callers.set(thread, Thread.currentThread());
                    acquireAndRelease(reservoir, new SplittableRandom(thread), served, wrongs);
                    callers.set(thread, null);
                    if (thread == 0) {
                        over.set(true);
                    }
                }
            });
            reservoir.resume();
            await().atMost(LIMIT).until(() -> {
                Stats stats = reservoir.stats();
                return stats.inUse() + stats.overflow() + stats.waiting() == 0 && stats.ready() > 0;
            });
            assertThat(served.get()).isPositive();
            reservoir.close(Duration.ofSeconds(30));
            assertEnd(reservoir, connector);
            assertThat(wrongs).as("used by two at once, or after the end").hasValue(0);
        }
    }

    private static void acquireAndRelease(
            Reservoir<Line> reservoir, SplittableRandom random, AtomicInteger served, AtomicInteger wrongs) {
        long end = System.nanoTime() + 700_000_000L;
        while (System.nanoTime() < end) {
            try {
                Pooled<Line> pooled = takeSomehow(reservoir, random);
                if (pooled != null) {
                    served.incrementAndGet();
                    for (int n = random.nextInt(20); n >= 0; n--) {
                        if (!pooled.connection().use()) {
                            wrongs.incrementAndGet();
                        }
                    }
                    giveBackSomehow(reservoir, random, pooled);
                }
            } catch (NoConnectionException | InterruptedException e) {
                // Part of the game.
            }
        }
    }

    private static Pooled<Line> takeSomehow(Reservoir<Line> reservoir, SplittableRandom random)
            throws InterruptedException {
        return switch (random.nextInt(6)) {
            case 0 -> reservoir.tryAcquire();
            case 1 -> takeUnlessCancelled(reservoir, random);
            default -> reservoir.acquire(random.nextLong(3_000_000L));
        };
    }

    private static Pooled<Line> takeUnlessCancelled(Reservoir<Line> reservoir, SplittableRandom random) {
        CompletableFuture<Pooled<Line>> future = reservoir.acquireAsync(random.nextLong(3_000_000L));
        if (random.nextBoolean()) {
            Threads.pauseBriefly();
        }
        return future.cancel(true) || future.isCompletedExceptionally() ? null : future.join();
    }

    private static void giveBackSomehow(Reservoir<Line> reservoir, SplittableRandom random, Pooled<Line> pooled) {
        switch (random.nextInt(40)) {
            case 0 -> reservoir.discard(pooled, DiscardReason.BAD);
            case 1 -> {
                reservoir.evict(pooled);
                reservoir.release(pooled);
            }
            case 2 -> {
                reservoir.release(pooled);
                reservoir.evict(pooled);
            }
            default -> reservoir.release(pooled);
        }
    }

    private static void disturb(Reservoir<Line> reservoir, AtomicReferenceArray<Thread> callers, AtomicBoolean over) {
        SplittableRandom random = new SplittableRandom(99);
        while (!over.get()) {
            Thread caller = callers.get(random.nextInt(callers.length()));
            if (caller != null) {
                caller.interrupt();
            }
            reservoir.stats();
            reservoir.checkouts(Duration.ZERO);
            Threads.pauseBriefly();
        }
    }

    private static void manage(Reservoir<Line> reservoir, AtomicBoolean over) throws Exception {
        SplittableRandom random = new SplittableRandom(77);
        while (!over.get()) {
            switch (random.nextInt(6)) {
                case 0 -> reservoir.pause();
                case 1 -> reservoir.suspectAll();
                case 2 -> reservoir.flush();
                case 3 -> {
                    int most = 1 + random.nextInt(8);
                    reservoir.setTargets(new Targets(most, random.nextInt(most + 1), 0, 1));
                }
                default -> reservoir.resume();
            }
            reservoir.awaitReady(1, Duration.ofMillis(random.nextInt(5)));
        }
        reservoir.setTargets(new Targets(6, 4, 2, 1));
    }

    /**
     * A caller with a long timeout never times out, whatever callers with short ones do. If a wake-up were lost, it
     * would sleep beside a ready connection until its timeout.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void noWakeUpIsLost(int connections) throws Exception {
        patientAndImpatient(connections, 10, 1_500, false);
    }

    /**
     * In every round each takes and gives back once: after the last return nobody comes any more to mend a lost
     * wake-up.
     */
    @ParameterizedTest
    @EnumSource(names = {"WAIT", "OVERFLOW"})
    void noWakeUpIsLostAtTheEndOfARound(Exhaustion exhaustion) throws Exception {
        try (ThreadedConnector connector = new ThreadedConnector(0, 0)) {
            Reservoir<Line> reservoir = Reservoir.builder(connector)
                    .targets(Targets.of(1))
                    .settings(Settings.builder()
                            .exhaustion(exhaustion)
                            .overflowMax(1)
                            .overtakingWindow(Duration.ofNanos(20_000))
                            .build())
                    .build();
            CyclicBarrier barrier = new CyclicBarrier(4);
            Threads.run(4, thread -> {
                for (int round = 0; round < 1_500; round++) {
                    barrier.await();
                    Pooled<Line> pooled =
                            thread == 3 && round % 2 == 0 ? impatientOnce(reservoir) : patient(reservoir, round);
                    if (pooled != null) {
                        reservoir.release(pooled);
                    }
                }
            });
            reservoir.close();
            assertEnd(reservoir, connector);
        }
    }

    private static Pooled<Line> impatientOnce(Reservoir<Line> reservoir) throws InterruptedException {
        try {
            return reservoir.acquire(20_000L);
        } catch (NoConnectionException e) {
            return null;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32})
    void thousandsOfVirtualThreadsAreAllServed(int connections) throws Exception {
        Assumptions.assumeTrue(Threads.hasVirtual());
        patientAndImpatient(connections, 2_000, 10, true);
    }

    @Test
    void virtualThreadsThatWaitInVainAllEndByTheirDeadlines() throws Exception {
        Assumptions.assumeTrue(Threads.hasVirtual());
        try (ThreadedConnector connector = new ThreadedConnector(0, 0)) {
            Reservoir<Line> reservoir =
                    Reservoir.builder(connector).targets(Targets.of(1)).build();
            Pooled<Line> held = reservoir.acquire(LIMIT);
            AtomicInteger timeouts = new AtomicInteger();
            Threads.runVirtual(1_000, thread -> {
                long timeout = new SplittableRandom(thread).nextLong(200_000_000L);
                long begun = System.nanoTime();
                try {
                    reservoir.release(reservoir.acquire(timeout));
                } catch (NoConnectionException e) {
                    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(timeout);
                    timeouts.incrementAndGet();
                }
            });
            assertThat(timeouts).hasValue(1_000);
            reservoir.release(held);
            reservoir.close();
            assertEnd(reservoir, connector);
        }
    }

    private static void patientAndImpatient(int connections, int threads, int checkouts, boolean virtual)
            throws Exception {
        try (ThreadedConnector connector = new ThreadedConnector(0, 0)) {
            Reservoir<Line> reservoir = Reservoir.builder(connector)
                    .targets(Targets.of(connections))
                    .build();
            AtomicInteger wrongs = new AtomicInteger();
            Threads.Work work = thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int i = 0; i < checkouts; i++) {
                    Pooled<Line> pooled = thread % 3 == 0 ? impatient(reservoir, random) : patient(reservoir, i);
                    if (pooled != null) {
                        if (!pooled.connection().use()) {
                            wrongs.incrementAndGet();
                        }
                        if (random.nextInt(4) == 0) {
                            Threads.pauseBriefly();
                        }
                        reservoir.release(pooled);
                    }
                }
            };
            if (virtual) {
                Threads.runVirtual(threads, work);
            } else {
                Threads.run(threads, work);
            }
            assertThat(wrongs).hasValue(0);
            assertThat(connector.opened).hasValue(connections);
            reservoir.close();
            assertEnd(reservoir, connector);
        }
    }

    private static Pooled<Line> patient(Reservoir<Line> reservoir, int turn) throws InterruptedException {
        return turn % 4 == 0 ? reservoir.acquireAsync(LIMIT.toNanos()).join() : reservoir.acquire(LIMIT);
    }

    private static Pooled<Line> impatient(Reservoir<Line> reservoir, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            Thread.currentThread().interrupt();
        }
        try {
            if (random.nextBoolean()) {
                return reservoir.acquire(random.nextLong(100_000L));
            }
            CompletableFuture<Pooled<Line>> future = reservoir.acquireAsync(1_000_000_000L);
            return future.cancel(false) ? null : future.join();
        } catch (NoConnectionException | InterruptedException e) {
            return null;
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void aCloseInTheMiddleOfEverythingLeavesNothingBehind() throws Exception {
        for (int round = 0; round < 30; round++) {
            try (ThreadedConnector connector = new ThreadedConnector(300, 10)) {
                Reservoir<Line> reservoir = Reservoir.builder(connector)
                        .targets(Targets.of(4))
                        .settings(restless()
                                .exhaustion(round % 2 == 0 ? Exhaustion.WAIT : Exhaustion.OVERFLOW)
                                .build())
                        .build();
                int closeAfter = round * 40;
                AtomicInteger checkouts = new AtomicInteger();
                List<Throwable> unexpected = new ArrayList<>();
                Threads.run(5, thread -> {
                    SplittableRandom random = new SplittableRandom(thread);
                    while (!reservoir.isClosed()) {
                        try {
                            Pooled<Line> pooled = reservoir.acquire(5_000_000L);
                            if (checkouts.incrementAndGet() == closeAfter + 1) {
                                CompletableFuture<Void> unused = reservoir.closeAsync(Duration.ZERO);
                            }
                            for (int n = random.nextInt(200); n > 0; n--) {
                                Thread.onSpinWait();
                            }
                            reservoir.release(pooled);
                        } catch (NoConnectionException e) {
                            // Empty or closed.
                        } catch (RuntimeException e) {
                            synchronized (unexpected) {
                                unexpected.add(e);
                            }
                        }
                    }
                });
                reservoir.close();
                assertThat(unexpected).isEmpty();
                assertEnd(reservoir, connector);
            }
        }
    }

    private static void assertEnd(Reservoir<Line> reservoir, ThreadedConnector connector) {
        Stats stats = reservoir.stats();
        assertThat(stats.open() + stats.overflow() + stats.opening() + stats.waiting())
                .as("%s", stats)
                .isZero();
        // A connect that was given up may still come, and is closed then.
        await().atMost(LIMIT).until(() -> connector.open.isEmpty() && connector.closed.get() == connector.opened.get());
        assertThat(connector.wrongs)
                .as("closed twice, or validated while it was in use")
                .hasValue(0);
        assertThat(BugLog.first()).isNull();
    }
}
