package dev.reservoir.demo.fleet;

import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/** Does several slow things at the same time, each on a thread of its own. */
public final class InParallel {
    private InParallel() {}

    /** Begins something slow. Does not block. */
    public static <T> FutureTask<T> start(Callable<T> what) {
        FutureTask<T> task = new FutureTask<>(what);
        Thread thread = new Thread(task, "demo-parallel");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Returns what was started. Blocks until it has started. */
    public static <T> T await(FutureTask<T> starting) {
        try {
            return starting.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException("the demo did not start: " + Text.oneLine(cause), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the demo started", e);
        }
    }

    /** Closes what was started, after it has started. Does nothing if the start failed. Blocks. */
    public static void close(FutureTask<? extends AutoCloseable> starting) {
        try {
            starting.get().close();
        } catch (ExecutionException notStarted) {
            // There is nothing to close.
        } catch (Exception e) {
            throw new IllegalStateException("the demo could not be closed: " + Text.oneLine(e), e);
        }
    }

    /** Applies an action to all objects. Blocks until all are done. Then throws the first failure, if there is one. */
    public static <T> void run(List<T> all, Consumer<T> what) {
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        for (T one : all) {
            tasks.add(start(() -> {
                what.accept(one);
                return true;
            }));
        }
        RuntimeException failure = null;
        boolean interrupted = false;
        for (FutureTask<Boolean> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                failure = failure == null ? new IllegalStateException(e.getCause()) : failure;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
    }
}
