package dev.reservoir.demo.fleet;

import dev.reservoir.core.util.Text;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Starts something slow on a separate thread. */
public final class BackgroundStart<T extends AutoCloseable> {
    private final FutureTask<T> task;

    private BackgroundStart(Callable<T> start) {
        task = new FutureTask<>(start);
    }

    public static <T extends AutoCloseable> BackgroundStart<T> of(Callable<T> start) {
        BackgroundStart<T> starting = new BackgroundStart<>(start);
        Thread thread = new Thread(starting.task, "demo-start");
        thread.setDaemon(true);
        thread.start();
        return starting;
    }

    /** Returns the started object. Blocks until it has started. */
    public T await() {
        try {
            return task.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException("the demo did not start: " + Text.oneLine(cause), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the demo started", e);
        }
    }

    /** Closes the object after it has started. Does nothing if the start failed. Blocks. */
    public void close() {
        try {
            task.get().close();
        } catch (ExecutionException notStarted) {
            // There is nothing to close.
        } catch (Exception e) {
            throw new IllegalStateException("the demo could not be closed: " + Text.oneLine(e), e);
        }
    }
}
