package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.kit.Threads;
import dev.reservoir.core.kit.WatchedTime;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A token bucket: never more than the burst and the rate allow in any stretch of time, in order, urgent ones first. */
class LocalPermitsTest {
    private final VirtualTime clock = new VirtualTime();
    private final WatchedTime time = new WatchedTime(clock);

    private static CompletableFuture<Permit> ask(LocalPermits permits, Urgency urgency) {
        return permits.acquire(urgency).toCompletableFuture();
    }

    @Test
    void noStretchOfTimeSeesMoreThanTheBurstAndTheRate() {
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            double rate = 0.5 + random.nextDouble() * 200;
            int burst = 1 + random.nextInt(20);
            LocalPermits permits = new LocalPermits(rate, burst, time);
            List<Long> used = new ArrayList<>();
            List<CompletableFuture<Permit>> waiting = new ArrayList<>();
            for (int i = 0; i < 150; i++) {
                CompletableFuture<Permit> request =
                        ask(permits, random.nextInt(4) == 0 ? Urgency.URGENT : Urgency.NORMAL);
                waiting.add(request);
                boolean unused = random.nextInt(8) == 0;
                boolean answered = random.nextBoolean();
                var done = request.thenAccept(permit -> {
                    if (unused) {
                        permit.giveBack();
                    } else {
                        used.add(clock.nanos());
                        if (answered) {
                            clock.schedule(30_000_000L, permit::answered);
                        }
                    }
                });
                assertThat(done).isNotNull();
                if (random.nextInt(6) == 0) {
                    waiting.remove(random.nextInt(waiting.size())).cancel(false);
                }
                clock.advance(random.nextLong((long) (2e9 / rate)));
            }
            clock.advance(Duration.ofHours(1).toNanos());
            assertThat(waiting).as("seed %d", seed).allMatch(CompletableFuture::isDone);
            assertWithin(used, rate, burst, seed);
            assertThat(time.timers).as("timers").isZero();
        }
    }

    private static void assertWithin(List<Long> used, double rate, int burst, int seed) {
        for (int from = 0; from < used.size(); from++) {
            for (int to = from; to < used.size(); to++) {
                double allowed = burst + rate * (used.get(to) - used.get(from)) / 1e9;
                assertThat((double) (to - from + 1)).as("seed %d", seed).isLessThanOrEqualTo(allowed + 1e-6);
            }
        }
    }

    @Test
    void askedForSteadilyTheRateIsReached() {
        LocalPermits permits = new LocalPermits(100, 1, time);
        AtomicInteger granted = new AtomicInteger();
        for (int i = 0; i < 2_000; i++) {
            var unused = ask(permits, Urgency.NORMAL).thenRun(granted::incrementAndGet);
        }
        clock.advance(Duration.ofSeconds(10).toNanos());
        assertThat(granted.get()).isBetween(999, 1_001);
    }

    @ParameterizedTest
    @CsvSource({"100, 1", "100, 2", "10, 10", "20, 40", "100, 1000"})
    void theRateIsReachedEvenIfNoConnectIsEverAnswered(double rate, int burst) {
        LocalPermits permits = new LocalPermits(rate, burst, time);
        AtomicInteger granted = new AtomicInteger();
        for (int i = 0; i < 5_000; i++) {
            var unused = ask(permits, Urgency.NORMAL).thenRun(granted::incrementAndGet);
        }
        clock.advance(Duration.ofSeconds(11).toNanos());
        // The first second at most is spent on waiting for the answers to the burst.
        assertThat(granted.get()).isGreaterThanOrEqualTo((int) (10 * rate + burst) - 1);
    }

    /**
     * The first connects are slow, since everything is done for the first time, and the later ones catch up with them.
     */
    @Test
    void aServerWithTheSameBucketRefusesNobodyWhenTheFirstConnectsAreSlow() {
        for (long slowMillis = 0; slowMillis < 900; slowMillis += 10) {
            double rate = 20;
            int burst = 40;
            LocalPermits permits = new LocalPermits(rate, burst, time);
            List<Long> arrived = new ArrayList<>();
            long begun = clock.nanos();
            long slowNanos = slowMillis * 1_000_000;
            for (int i = 0; i < 100; i++) {
                var unused = ask(permits, Urgency.NORMAL)
                        .thenAccept(permit ->
                                clock.schedule(Math.max(0, begun + slowNanos - clock.nanos()) + 1_000_000, () -> {
                                    arrived.add(clock.nanos());
                                    clock.schedule(1_000_000, permit::answered);
                                }));
            }
            clock.advance(Duration.ofMinutes(1).toNanos());
            assertThat(arrived).hasSize(100);
            assertWithin(arrived, rate, burst, (int) slowMillis);
        }
    }

    @Test
    void requestsAreServedInOrderAndUrgentOnesFirst() {
        LocalPermits permits = new LocalPermits(10, 1, time);
        ask(permits, Urgency.NORMAL).join();
        List<String> order = new ArrayList<>();
        for (String name : List.of("n1", "u1", "n2", "u2", "n3")) {
            var unused = ask(permits, name.startsWith("u") ? Urgency.URGENT : Urgency.NORMAL)
                    .thenRun(() -> order.add(name));
        }
        clock.advance(Duration.ofSeconds(2).toNanos());
        assertThat(order).containsExactly("u1", "u2", "n1", "n2", "n3");
    }

    @Test
    void aCancelledRequestCostsNothing() {
        LocalPermits permits = new LocalPermits(10, 1, time);
        ask(permits, Urgency.NORMAL).join();
        List<CompletableFuture<Permit>> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            requests.add(ask(permits, Urgency.NORMAL));
        }
        requests.subList(0, 4).forEach(request -> request.cancel(false));
        clock.advance(101_000_000L);
        assertThat(requests.get(4)).isCompleted();
        assertThat(time.timers).isZero();
    }

    @Test
    void whenAllAreCancelledNoTimerStays() {
        LocalPermits permits = new LocalPermits(0.001, 1, time);
        ask(permits, Urgency.NORMAL).join();
        CompletableFuture<Permit> first = ask(permits, Urgency.NORMAL);
        CompletableFuture<Permit> second = ask(permits, Urgency.URGENT);
        first.cancel(false);
        assertThat(time.timers).isEqualTo(1);
        second.cancel(false);
        assertThat(time.timers).isZero();
    }

    @Test
    void anUnusedPermitGoesToTheNext() {
        LocalPermits permits = new LocalPermits(1, 1, time);
        Permit permit = ask(permits, Urgency.NORMAL).join();
        CompletableFuture<Permit> next = ask(permits, Urgency.NORMAL);
        assertThat(next).isNotDone();
        permit.giveBack();
        assertThat(next).isCompleted();
    }

    @Test
    void itSaysWhatTheLimitIs() {
        LocalPermits permits = new LocalPermits(10, 2, time);
        ask(permits, Urgency.NORMAL).join();
        ask(permits, Urgency.NORMAL).join();
        assertThat(permits.describe()).isEqualTo("connection rate 10/s, burst 2, next free permit in 100 ms");
        assertThat(permits.ratePerSecond()).isEqualTo(10);
        assertThat(LocalPermits.unlimited().describe()).isEqualTo("connection rate unlimited");
        assertThat(LocalPermits.unlimited().ratePerSecond()).isInfinite();
    }

    @Test
    void withoutALimitEveryRequestIsGrantedAtOnce() {
        var permits = LocalPermits.unlimited();
        for (int i = 0; i < 1_000; i++) {
            assertThat(permits.acquire(Urgency.NORMAL).toCompletableFuture()).isCompleted();
        }
    }

    @Test
    void whatIsNotALimitIsRefusedByName() {
        for (double rate : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> new LocalPermits(rate, 1, time))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("connectionRateLimit is " + rate)
                    .hasMessageContaining("allowed: ");
        }
        assertThatThrownBy(() -> new LocalPermits(1, 0, time))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("connectionBurstLimit is 0; allowed: 1 to");
    }

    @Test
    void manyThreadsTogetherGetNoMoreThanOneWould() throws Exception {
        LocalPermits permits = new LocalPermits(1e-6, 500, new VirtualTime());
        AtomicInteger granted = new AtomicInteger();
        Threads.run(4, thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (int i = 0; i < 2_000; i++) {
                CompletableFuture<Permit> request = ask(permits, Urgency.NORMAL);
                if (!request.isDone() && request.cancel(false)) {
                    continue;
                }
                if (random.nextBoolean()) {
                    request.join().giveBack();
                } else {
                    granted.incrementAndGet();
                }
            }
        });
        assertThat(granted).hasValue(500);
    }
}
