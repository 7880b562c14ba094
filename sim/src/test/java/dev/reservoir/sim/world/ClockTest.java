package dev.reservoir.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class ClockTest {
    /** Does the same random things with a clock: events that cancel others and bring about more, many at the same time. */
    private static List<String> story(long seed, Time time, LongConsumer moveTo) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> told = new ArrayList<>();
        List<Time.Timer> timers = new ArrayList<>();
        Runnable[] act = new Runnable[1];
        int[] events = {0};
        act[0] = () -> {
            int number = events[0]++;
            told.add(number + "@" + time.nanos());
            for (int i = number < 2_000 ? random.nextInt(4) : 0; i > 0; i--) {
                if (random.nextInt(5) == 0) {
                    time.execute(act[0]);
                } else {
                    timers.add(time.schedule(random.nextLong(-2, 30), act[0]));
                }
            }
            if (random.nextInt(3) == 0 && !timers.isEmpty()) {
                timers.get(random.nextInt(timers.size())).cancel();
            }
        };
        for (int i = 0; i < 10; i++) {
            time.schedule(random.nextLong(100), act[0]);
        }
        for (long until = 0; until < 1_000; until += random.nextLong(1, 50)) {
            moveTo.accept(until);
            told.add("stands at " + time.nanos());
        }
        return told;
    }

    @Test
    void runsEverythingInTheOrderInWhichTheEnginesOwnClockDoes() {
        int longest = 0;
        for (long seed = 0; seed < 200; seed++) {
            Clock clock = new Clock();
            VirtualTime other = new VirtualTime();
            List<String> told = story(seed, clock, clock::moveTo);
            assertThat(told).isEqualTo(story(seed, other, other::advanceTo));
            longest = Math.max(longest, told.size());
        }
        assertThat(longest).isGreaterThan(2_000);
    }

    /** Many time-outs, most of which are cancelled before they are due. */
    private static List<String> timeouts(long seed, Time time, LongConsumer moveTo) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> told = new ArrayList<>();
        List<Time.Timer> timers = new ArrayList<>();
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 300; i++) {
                String what = round + "/" + i;
                timers.add(time.schedule(random.nextLong(1, 100_000), () -> told.add(what + "@" + time.nanos())));
            }
            for (int i = 0; i < 280; i++) {
                timers.remove(random.nextInt(timers.size())).cancel();
            }
            moveTo.accept(round * 1_000L);
        }
        moveTo.accept(200_000);
        return told;
    }

    @Test
    void sweepingOutWhatWasCancelledChangesNothing() {
        for (long seed = 0; seed < 20; seed++) {
            Clock clock = new Clock();
            VirtualTime other = new VirtualTime();
            assertThat(timeouts(seed, clock, clock::moveTo))
                    .isEqualTo(timeouts(seed, other, other::advanceTo))
                    .hasSizeGreaterThan(500);
        }
    }

    @Test
    void runsOneEventAtATimeAndSaysWhenTheNextIsDue() {
        Clock clock = new Clock();
        List<String> done = new ArrayList<>();
        assertThat(clock.nextDueNanos()).isEqualTo(Long.MAX_VALUE);
        clock.schedule(5, () -> done.add("b"));
        clock.schedule(3, () -> {
            done.add("a");
            clock.execute(() -> done.add("at once"));
        });
        clock.schedule(4, () -> done.add("never")).cancel();
        clock.schedule(Long.MAX_VALUE, () -> done.add("at the end of time"));
        assertThat(clock.nextDueNanos()).isEqualTo(3);
        assertThat(clock.step(2)).isFalse();
        assertThat(clock.step(3)).isTrue();
        assertThat(clock.nextDueNanos()).isEqualTo(3);
        assertThat(clock.step(10)).isTrue();
        assertThat(clock.step(10)).isTrue();
        assertThat(clock.step(10)).isFalse();
        assertThat(done).containsExactly("a", "at once", "b");
        assertThat(clock.nanos()).isEqualTo(5);
        clock.moveTo(20);
        assertThat(clock.nanos()).isEqualTo(20);
        assertThat(clock.lane()).isZero();
    }
}
