package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Promise 3: a checkout of a ready connection takes no lock, does no I/O and waits for nothing. */
class Promise03FastPathTest {

    /** The machine's time, with a count of how often the clock is read by the thread under test. */
    private static final class CountingTime implements Time, AutoCloseable {
        private final SystemTime inner = new SystemTime("counting");
        private final Thread counted = Thread.currentThread();
        private final AtomicLong reads = new AtomicLong();
        private final AtomicLong others = new AtomicLong();

        @Override
        public long nanos() {
            count(reads);
            return inner.nanos();
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            count(others);
            return inner.schedule(delayNanos, task);
        }

        @Override
        public void execute(Runnable task) {
            count(others);
            inner.execute(task);
        }

        private void count(AtomicLong counter) {
            if (Thread.currentThread() == counted) {
                counter.incrementAndGet();
            }
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    @Test
    void aCheckoutReadsTheClockOnceAndSeldomTwiceAndAReturnMostlyNever() throws Exception {
        try (CountingTime time = new CountingTime();
                Reservoir<Object> reservoir = full(time)) {
            time.reads.set(0);
            time.others.set(0);
            int checkouts = 16_000;
            for (int i = 0; i < checkouts; i++) {
                long before = time.reads.get();
                Pooled<Object> pooled = i % 2 == 0 ? reservoir.acquire(1_000_000_000L) : reservoir.tryAcquire();
                assertThat(time.reads.get() - before).isLessThanOrEqualTo(2);
                reservoir.release(pooled);
            }
            // One for each checkout, one more for each 64th, and one for each sixteenth return.
            assertThat(time.reads.get()).isBetween((long) checkouts, checkouts + checkouts / 10L);
            assertThat(time.others.get()).as("tasks and timers").isZero();
        }
    }

    @Test
    void checkoutAndReturnNeedNoLockOfTheKeeper() throws Exception {
        try (CountingTime time = new CountingTime();
                Reservoir<Object> reservoir = full(time)) {
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch letGo = new CountDownLatch(1);
            Thread holder = new Thread(() -> lockOf(reservoir).inspect(() -> {
                held.countDown();
                boolean interrupted = false;
                try {
                    letGo.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                return interrupted;
            }));
            holder.start();
            held.await();
            for (int i = 0; i < 1_000; i++) {
                Pooled<Object> pooled = reservoir.acquire(Duration.ofMinutes(5));
                reservoir.release(pooled);
                Pooled<Object> other = reservoir.acquireAsync(1_000_000_000L).getNow(null);
                assertThat(other).isNotNull();
                reservoir.release(other);
            }
            assertThat(holder.isAlive()).isTrue();
            letGo.countDown();
            holder.join();
        }
    }

    @Test
    void checkoutAndReturnAllocateNothing() throws Exception {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        org.junit.jupiter.api.Assumptions.assumeTrue(
                threads.isThreadAllocatedMemorySupported() && threads.isThreadAllocatedMemoryEnabled());
        try (SystemTime time = new SystemTime("allocation");
                Reservoir<Object> reservoir = full(time)) {
            handOutTimes(reservoir, 50_000);
            int checkouts = 200_000;
            long least = Long.MAX_VALUE;
            // The best of several: the compiler may still be at work during the first.
            for (int i = 0; i < 5 && least > 0; i++) {
                long before =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId());
                handOutTimes(reservoir, checkouts);
                long after =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId());
                least = Math.min(least, after - before);
            }
            // The smallest object is 16 bytes; the measurement itself may cost some.
            assertThat(least).isLessThan(checkouts / 10L);
        }
    }

    private static void handOutTimes(Reservoir<Object> reservoir, int checkouts) throws InterruptedException {
        for (int i = 0; i < checkouts; i++) {
            reservoir.release(reservoir.acquire(1_000_000_000L));
        }
    }

    private static Reservoir<Object> full(Time time) throws InterruptedException {
        Reservoir<Object> reservoir = Reservoir.builder(new InstantConnector())
                .targets(Targets.of(20))
                .time(time)
                .build();
        assertThat(reservoir.awaitReady(20, Duration.ofMinutes(1))).isTrue();
        return reservoir;
    }

    /** The object whose lock guards the keeper. The keeper does not show it, so the test finds it by reflection. */
    private static EventLoop lockOf(Reservoir<?> reservoir) {
        return (EventLoop) field(field(field(reservoir, "keeper"), "parts"), "eventLoop");
    }

    private static Object field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(of.getClass() + " has no field named " + name + " any more", e);
        }
    }
}
