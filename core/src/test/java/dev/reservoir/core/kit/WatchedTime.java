package dev.reservoir.core.kit;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.VirtualTime;
import java.util.function.LongSupplier;

/** Virtual time as the engine sees it. Counts the engine's timers and tasks that have not run yet. */
public final class WatchedTime implements Time {
    private final VirtualTime clock;

    /** The engine's timers that have neither run nor been cancelled. */
    public int timers;

    /** The engine's tasks that have not run. */
    public int tasks;

    public long reads;

    /** Called before each timer or task is accepted. Throws if the engine should meet an error there. */
    public Runnable beforeEach = () -> {};

    /** Called before each read of the clock. Throws if the engine should meet an error there. */
    public Runnable beforeLook = () -> {};

    /** The lane of callers, which selects where they look for a ready connection first. */
    public LongSupplier lane = () -> 0;

    public WatchedTime(VirtualTime clock) {
        this.clock = clock;
    }

    @Override
    public long nanos() {
        reads++;
        beforeLook.run();
        return clock.nanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        beforeEach.run();
        boolean[] over = {false};
        timers++;
        Timer timer = clock.schedule(delayNanos, () -> {
            end(over);
            task.run();
        });
        return () -> {
            timer.cancel();
            end(over);
        };
    }

    private void end(boolean[] over) {
        if (!over[0]) {
            over[0] = true;
            timers--;
        }
    }

    @Override
    public void execute(Runnable task) {
        beforeEach.run();
        tasks++;
        clock.execute(() -> {
            tasks--;
            task.run();
        });
    }

    @Override
    public long lane() {
        return lane.getAsLong();
    }
}
