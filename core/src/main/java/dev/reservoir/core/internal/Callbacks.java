package dev.reservoir.core.internal;

import dev.reservoir.core.spi.Time;
import java.util.concurrent.Executor;

/**
 * Where futures of callers are completed, so that what hangs on them never runs on the engine's thread or on the path of
 * whoever returns a connection. An executor that refuses costs nobody anything: the engine's own thread steps in, or the thread at
 * hand if even that refuses.
 */
public final class Callbacks {
    private final Executor executor;
    private final Time time;

    public Callbacks(Executor executor, Time time) {
        this.executor = executor;
        this.time = time;
    }

    public void run(Runnable task) {
        try {
            executor.execute(task);
        } catch (RuntimeException | Error refused) {
            try {
                time.execute(task);
            } catch (RuntimeException | Error alsoRefused) {
                task.run();
            }
        }
    }
}
