package dev.reservoir.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.spi.Time.Timer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** Time that moves only when it is told to, and runs what is due in order. */
class VirtualTimeTest {
    private final VirtualTime time = new VirtualTime();
    private final List<String> ran = new ArrayList<>();

    @Test
    void itStandsStillByItself() {
        assertThat(time.nanos()).isZero();
        assertThat(time.step()).isFalse();
        assertThat(time.nextDueNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void eventsRunInTheOrderOfTheirTimesAndThenAsTheyWereGiven() {
        time.schedule(20, () -> ran.add("c"));
        time.schedule(10, () -> ran.add("a"));
        time.schedule(10, () -> ran.add("b"));
        time.execute(() -> ran.add("now"));
        time.advance(15);
        assertThat(ran).containsExactly("now", "a", "b");
        assertThat(time.nanos()).isEqualTo(15);
        time.advance(5);
        assertThat(ran).endsWith("c");
    }

    @Test
    void anEventSeesItsOwnTime() {
        time.schedule(10, () -> ran.add("" + time.nanos()));
        time.schedule(30, () -> ran.add("" + time.nanos()));
        time.advance(100);
        assertThat(ran).containsExactly("10", "30");
        assertThat(time.nanos()).isEqualTo(100);
    }

    @Test
    void whatAnEventBringsAboutRunsInItsTurn() {
        time.schedule(10, () -> {
            ran.add("first");
            time.execute(() -> ran.add("soon"));
            time.schedule(5, () -> ran.add("later"));
            time.schedule(-5, () -> ran.add("at once"));
        });
        time.schedule(12, () -> ran.add("between"));
        time.advance(20);
        assertThat(ran).containsExactly("first", "soon", "at once", "between", "later");
    }

    @Test
    void aCancelledTimerNeverRuns() {
        Timer timer = time.schedule(10, () -> ran.add("cancelled"));
        time.schedule(10, () -> ran.add("kept"));
        timer.cancel();
        timer.cancel();
        assertThat(time.nextDueNanos()).isEqualTo(10);
        time.advance(20);
        assertThat(ran).containsExactly("kept");
    }

    @Test
    void afterAJumpWhatBecameDueRunsLateAndTimeNeverGoesBack() {
        time.schedule(10, () -> ran.add("late at " + time.nanos()));
        time.jump(50);
        assertThat(ran).isEmpty();
        assertThat(time.nextDueNanos()).isEqualTo(50);
        time.settle();
        assertThat(ran).containsExactly("late at 50");
        assertThat(time.nanos()).isEqualTo(50);
    }

    @Test
    void aDelayBeyondTheEndOfTimeIsTheEndOfTime() {
        time.advance(1_000);
        time.schedule(Long.MAX_VALUE, () -> ran.add("never"));
        time.advance(1_000_000_000_000L);
        assertThat(ran).isEmpty();
    }

    @Test
    void allCallersShareOneLane() {
        assertThat(time.lane()).isEqualTo(time.lane());
    }

    @Test
    void randomTimersRunExactlyOnceInOrder() {
        for (int seed = 0; seed < 200; seed++) {
            VirtualTime virtual = new VirtualTime();
            SplittableRandom random = new SplittableRandom(seed);
            List<Long> due = new ArrayList<>();
            List<Long> fired = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                long at = virtual.nanos() + random.nextInt(100);
                Timer timer = virtual.schedule(at - virtual.nanos(), () -> {
                    assertThat(virtual.nanos()).isEqualTo(at);
                    fired.add(at);
                });
                if (random.nextInt(4) == 0) {
                    timer.cancel();
                } else {
                    due.add(at);
                }
                if (random.nextBoolean()) {
                    virtual.advance(random.nextInt(20));
                }
            }
            virtual.advance(1_000);
            due.sort(null);
            assertThat(fired).as("seed %d", seed).isEqualTo(due);
        }
    }

    /** The plainest thing that does the same: a list, searched for the least by its time and then by its number. */
    private static final class PlainTime implements Time {
        private final List<Event> events = new ArrayList<>();
        private long nowNanos;
        private int given;

        private record Event(long dueNanos, int number, Runnable task) {}

        @Override
        public long nanos() {
            return nowNanos;
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            Event event = new Event(nowNanos + Math.max(0, delayNanos), given++, task);
            events.add(event);
            return () -> events.remove(event);
        }

        @Override
        public void execute(Runnable task) {
            schedule(0, task);
        }

        void jump(long byNanos) {
            nowNanos += byNanos;
        }

        void advanceTo(long untilNanos) {
            for (; ; ) {
                Event next = events.stream()
                        .filter(e -> Math.max(nowNanos, e.dueNanos) <= untilNanos)
                        .min(Comparator.comparingLong(Event::dueNanos).thenComparingInt(Event::number))
                        .orElse(null);
                if (next == null) {
                    break;
                }
                events.remove(next);
                nowNanos = Math.max(nowNanos, next.dueNanos);
                next.task.run();
            }
            nowNanos = Math.max(nowNanos, untilNanos);
        }
    }

    /** Does random things: events that cancel others and bring about more, many of them at the same time, and jumps. */
    private static List<String> story(long seed, Time time, LongConsumer advanceTo, LongConsumer jump) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> told = new ArrayList<>();
        List<Timer> timers = new ArrayList<>();
        Runnable[] act = new Runnable[1];
        int[] events = {0};
        act[0] = () -> {
            int number = events[0]++;
            told.add(number + "@" + time.nanos());
            for (int i = number < 500 ? random.nextInt(4) : 0; i > 0; i--) {
                if (random.nextInt(5) == 0) {
                    time.execute(act[0]);
                } else {
                    timers.add(time.schedule(random.nextLong(-2, 30), act[0]));
                }
            }
            if (random.nextInt(3) == 0 && !timers.isEmpty()) {
                timers.get(random.nextInt(timers.size())).cancel();
            }
            if (random.nextInt(40) == 0) {
                jump.accept(random.nextLong(40));
            }
        };
        for (int i = 0; i < 10; i++) {
            time.schedule(random.nextLong(100), act[0]);
        }
        for (long until = 0; until < 1_000; until += random.nextLong(1, 50)) {
            if (random.nextInt(4) == 0) {
                jump.accept(random.nextLong(40));
            }
            advanceTo.accept(Math.max(until, time.nanos()));
            told.add("stands at " + time.nanos());
        }
        return told;
    }

    @Test
    void randomStoriesRunAsOnAPlainList() {
        int longest = 0;
        for (long seed = 0; seed < 300; seed++) {
            VirtualTime virtual = new VirtualTime();
            PlainTime plain = new PlainTime();
            List<String> told = story(seed, virtual, virtual::advanceTo, virtual::jump);
            assertThat(told).as("seed %d", seed).isEqualTo(story(seed, plain, plain::advanceTo, plain::jump));
            longest = Math.max(longest, told.size());
        }
        assertThat(longest).isGreaterThan(500);
    }

    @Test
    void manyTimersOfWhichMostAreCancelledRunAsOnAPlainList() {
        for (long seed = 0; seed < 5; seed++) {
            VirtualTime virtual = new VirtualTime();
            PlainTime plain = new PlainTime();
            assertThat(timeouts(seed, virtual, virtual::advanceTo))
                    .isEqualTo(timeouts(seed, plain, plain::advanceTo))
                    .hasSizeGreaterThan(300);
        }
    }

    private static List<String> timeouts(long seed, Time time, LongConsumer advanceTo) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> told = new ArrayList<>();
        List<Timer> timers = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 300; i++) {
                String what = round + "/" + i;
                timers.add(time.schedule(random.nextLong(1, 100_000), () -> told.add(what + "@" + time.nanos())));
            }
            for (int i = 0; i < 280; i++) {
                timers.remove(random.nextInt(timers.size())).cancel();
            }
            advanceTo.accept(round * 1_000L);
        }
        advanceTo.accept(200_000);
        return told;
    }

    @Test
    void whatIsNeverCancelledNeedsNoTimerAndAStepHasItsLimit() {
        time.start(5, () -> ran.add("b"));
        time.start(3, () -> {
            ran.add("a");
            time.start(0, () -> ran.add("at once"));
        });
        time.schedule(1, () -> ran.add("never")).cancel();
        assertThat(time.nextDueNanos()).isEqualTo(3);
        assertThat(time.step(2)).isFalse();
        assertThat(time.step(3)).isTrue();
        assertThat(time.nextDueNanos()).isEqualTo(3);
        assertThat(time.step(10)).isTrue();
        assertThat(time.step(10)).isTrue();
        assertThat(time.step(10)).isFalse();
        assertThat(ran).containsExactly("a", "at once", "b");
        assertThat(time.nanos()).isEqualTo(5);
    }
}
