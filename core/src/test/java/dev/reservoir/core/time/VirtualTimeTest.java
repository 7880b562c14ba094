package dev.reservoir.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.spi.Time.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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
}
