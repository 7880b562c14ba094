package dev.reservoir.core.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Where futures are completed if no thread can be had for it: never on the thread of the engine. */
class CallbacksTest {
    private final VirtualTime time = new VirtualTime();
    private final List<String> ran = new ArrayList<>();
    private boolean refuses;
    private boolean spareRefuses;

    private final Executor executor = task -> run(refuses, "executor", task);
    private final Executor spare = task -> run(spareRefuses, "spare", task);
    private final Callbacks callbacks = new Callbacks(executor, spare, time);

    private void run(boolean refusesNow, String name, Runnable task) {
        if (refusesNow) {
            throw new OutOfMemoryError("unable to create native thread: made up by a test");
        }
        ran.add(name);
        task.run();
    }

    @Test
    void aRefusedTaskRunsOnTheExecutorAsSoonAsItTakesOneAndInOrder() {
        refuses = true;
        callbacks.run(() -> ran.add("first"));
        callbacks.run(() -> ran.add("second"));
        time.advance(Duration.ofMillis(400).toNanos());
        assertThat(ran).isEmpty();
        refuses = false;
        callbacks.run(() -> ran.add("third"));
        time.advance(Duration.ofMillis(100).toNanos());
        assertThat(ran).containsExactly("executor", "first", "executor", "second", "executor", "third");
    }

    @Test
    void afterHalfASecondOfRefusalsTheSpareExecutorStepsIn() {
        refuses = true;
        callbacks.run(() -> ran.add("task"));
        time.advance(Duration.ofMillis(450).toNanos());
        assertThat(ran).isEmpty();
        time.advance(Duration.ofMillis(100).toNanos());
        assertThat(ran).containsExactly("spare", "task");
        callbacks.run(() -> ran.add("next"));
        time.advance(Duration.ofMillis(100).toNanos());
        assertThat(ran).as("the executor still refuses").endsWith("spare", "next");
        refuses = false;
        callbacks.run(() -> ran.add("last"));
        assertThat(ran).endsWith("executor", "last");
    }

    @Test
    void ifBothRefuseNothingRunsUntilOneOfThemTakesIt() {
        refuses = true;
        spareRefuses = true;
        callbacks.run(() -> ran.add("task"));
        time.advance(Duration.ofMinutes(1).toNanos());
        assertThat(ran).isEmpty();
        spareRefuses = false;
        time.advance(Duration.ofMillis(100).toNanos());
        assertThat(ran).containsExactly("spare", "task");
    }

    @Test
    void withoutATimerTheSpareExecutorTakesItAtOnce() {
        refuses = true;
        Callbacks untimed = new Callbacks(executor, spare, new NoTimers(time));
        untimed.run(() -> ran.add("task"));
        assertThat(ran).containsExactly("spare", "task");
        spareRefuses = true;
        untimed.run(() -> ran.add("kept"));
        assertThat(ran).hasSize(2);
        spareRefuses = false;
        untimed.run(() -> ran.add("last"));
        assertThat(ran).endsWith("spare", "kept", "spare", "last");
    }

    @Test
    void atTheEndNothingIsLeftBehind() {
        refuses = true;
        callbacks.run(() -> ran.add("before"));
        callbacks.end();
        callbacks.run(() -> ran.add("after"));
        assertThat(ran).containsExactly("spare", "before", "spare", "after");
    }

    private record NoTimers(VirtualTime clock) implements dev.reservoir.core.spi.Time {
        @Override
        public long nanos() {
            return clock.nanos();
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            throw new OutOfMemoryError("made up by a test");
        }

        @Override
        public void execute(Runnable task) {
            clock.execute(task);
        }
    }
}
