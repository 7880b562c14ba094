package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.lang.reflect.Method;
import java.sql.SQLException;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/**
 * Far more threads than connections. Every thread is served, again and again, and the server never has more connections
 * than allowed.
 */
class ManyThreadsTest {
    private static final int POOL = 12;

    @Test
    void everyOneOfThousandsOfVirtualThreadsOrHundredsOfOthersIsServed() throws Exception {
        String name = "many-threads";
        Method virtual = startVirtualThread();
        int threads = virtual == null ? 400 : 3_000;
        int loops = virtual == null ? 25 : 4;
        AtomicIntegerArray served = new AtomicIntegerArray(threads);
        Collection<Throwable> failures = new ConcurrentLinkedQueue<>();
        CountDownLatch start = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(threads);
        try (Backends backends = Backends.of(TestPostgres.url());
                Backends forSamples = Backends.of(TestPostgres.url());
                ReservoirDataSource pool =
                        Pools.named(name, TestPostgres.url()).maxOpen(POOL).build();
                Sampler seen = Sampler.of(() -> forSamples.count(name))) {
            for (int i = 0; i < threads; i++) {
                int me = i;
                start(virtual, () -> {
                    try {
                        start.await();
                        loop(pool, loops, served, me);
                    } catch (SQLException | InterruptedException | RuntimeException e) {
                        failures.add(e);
                    } finally {
                        done.countDown();
                    }
                });
            }
            start.countDown();
            assertThat(done.await(Pools.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("all %d threads finished, %d are left", threads, done.getCount())
                    .isTrue();
            seen.stop();

            assertThat(failures).isEmpty();
            for (int i = 0; i < threads; i++) {
                assertThat(served.get(i)).as("loops of thread %d", i).isEqualTo(loops);
            }
            assertThat(seen.samples()).isPositive();
            assertThat(seen.largest()).as("sessions seen by the server").isLessThanOrEqualTo(POOL);
            assertThat(pool.stats().opened()).isEqualTo(POOL);
            assertThat(pool.stats().checkouts()).isEqualTo((long) threads * loops);
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    private static void loop(ReservoirDataSource pool, int loops, AtomicIntegerArray served, int me)
            throws SQLException {
        for (int i = 0; i < loops; i++) {
            Pools.useOnce(pool);
            served.incrementAndGet(me);
        }
    }

    private static void start(Method virtual, Runnable task) throws ReflectiveOperationException {
        if (virtual != null) {
            virtual.invoke(null, task);
        } else {
            Thread thread = new Thread(task, "one-of-many");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Null if the JDK has no virtual threads. */
    private static Method startVirtualThread() {
        try {
            return Runtime.version().feature() < 21
                    ? null
                    : Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a JDK of 21 or later without virtual threads", e);
        }
    }
}
