package dev.reservoir.core.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The machine's time: timers on one thread, and what is left of them after the end. */
class SystemTimeTest {

    @Test
    void theClockStartsNearZeroAndNeverGoesBack() {
        try (SystemTime time = new SystemTime("clock")) {
            long last = time.nanos();
            assertThat(last).isBetween(0L, TimeUnit.MINUTES.toNanos(10));
            for (int i = 0; i < 10_000; i++) {
                long now = time.nanos();
                assertThat(now).isGreaterThanOrEqualTo(last);
                last = now;
            }
        }
    }

    @Test
    void tasksOfOneThreadRunInOrderOnAThreadOfItsOwn() throws Exception {
        try (SystemTime time = new SystemTime("tasks")) {
            List<Integer> ran = new ArrayList<>();
            CountDownLatch done = new CountDownLatch(100);
            for (int i = 0; i < 100; i++) {
                int number = i;
                time.execute(() -> {
                    ran.add(Thread.currentThread().getName().equals("tasks") ? number : -1);
                    done.countDown();
                });
            }
            assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(ran).isSorted().hasSize(100).doesNotContain(-1);
        }
    }

    @Test
    void aTimerIsNeverEarly() throws Exception {
        try (SystemTime time = new SystemTime("timer")) {
            long due = time.nanos() + 5_000_000L;
            CountDownLatch fired = new CountDownLatch(1);
            AtomicBoolean early = new AtomicBoolean();
            time.schedule(5_000_000L, () -> {
                early.set(time.nanos() < due);
                fired.countDown();
            });
            assertThat(fired.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(early).isFalse();
        }
    }

    @Test
    void afterTheEndTasksRunOnTheirCallerAndTimersNever() {
        SystemTime time = new SystemTime("ended");
        time.close();
        List<Thread> ran = new ArrayList<>();
        time.execute(() -> ran.add(Thread.currentThread()));
        assertThat(ran).containsExactly(Thread.currentThread());
        time.schedule(0, () -> ran.add(Thread.currentThread())).cancel();
        assertThat(ran).hasSize(1);
        assertThat(time.nanos()).isNotNegative();
    }

    @Test
    void timesThatShareAThreadAreIndependentOfEachOther() throws Exception {
        List<SystemTime> times = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            times.add(SystemTime.shared());
        }
        assertThat(loops()).hasSizeBetween(2, 4);
        SystemTime first = times.remove(0);
        AtomicBoolean fired = new AtomicBoolean();
        first.schedule(1_000_000L, () -> fired.set(true));
        first.close();
        first.close();
        CountDownLatch others = new CountDownLatch(2 * times.size());
        for (SystemTime time : times) {
            time.schedule(2_000_000L, others::countDown);
            time.execute(others::countDown);
        }
        assertThat(others.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(fired).as("a timer of the time that was closed").isFalse();
        times.forEach(SystemTime::close);
        await().untilAsserted(() -> assertThat(loops()).isEmpty());
    }

    private static List<String> loops() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("reservoir-loop-"))
                .toList();
    }
}
