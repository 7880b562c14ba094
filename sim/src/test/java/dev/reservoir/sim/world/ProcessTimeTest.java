package dev.reservoir.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.spi.Time.Timer;
import dev.reservoir.core.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessTimeTest {
    private final VirtualTime clock = new VirtualTime();
    private final List<String> done = new ArrayList<>();
    private final ProcessTime time = new ProcessTime(clock, null);

    private void doAt(long nanos, String what) {
        time.schedule(nanos, () -> done.add(what + "@" + clock.nanos()));
    }

    @Test
    void whatWasDueWhileItStoodStillIsDoneInOrderWhenItGoesOn() {
        doAt(1, "a");
        doAt(20, "c");
        doAt(10, "b");
        doAt(200, "d");
        clock.advanceTo(5);
        time.stand();
        clock.advanceTo(30);
        time.deliver(() -> done.add("from outside@" + clock.nanos()));
        time.execute(() -> done.add("e@" + clock.nanos()));
        clock.advanceTo(100);
        assertThat(done).containsExactly("a@1");
        time.goOn();
        clock.advanceTo(300);
        assertThat(done).containsExactly("a@1", "b@100", "c@100", "from outside@100", "e@100", "d@200");
    }

    @Test
    void aTimerThatWasDueWhileItStoodStillCanStillBeCancelled() {
        time.stand();
        Timer timer = time.schedule(10, () -> done.add("late"));
        clock.advanceTo(20);
        timer.cancel();
        time.goOn();
        clock.advanceTo(30);
        assertThat(done).isEmpty();
    }

    @Test
    void theDeadDoNothing() {
        doAt(10, "a");
        time.stand();
        clock.advanceTo(20);
        time.die();
        time.goOn();
        time.deliver(() -> done.add("from outside"));
        time.execute(() -> done.add("b"));
        clock.advanceTo(30);
        assertThat(done).isEmpty();
    }

    @Test
    void aWatcherHearsBeforeAnythingHappens() {
        ProcessTime watched = new ProcessTime(clock, () -> done.add("before"));
        watched.execute(() -> done.add("a"));
        clock.advanceTo(0);
        watched.deliver(() -> done.add("b"));
        assertThat(done).containsExactly("before", "a", "before", "b");
    }
}
