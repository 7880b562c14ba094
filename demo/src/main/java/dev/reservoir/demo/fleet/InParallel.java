package dev.reservoir.demo.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/** Applies an action to several objects in parallel, because each takes a while. */
public final class InParallel {
    private InParallel() {}

    /** Blocks until all actions are done. Then throws the first failure, if there is one. */
    public static <T> void run(List<T> all, Consumer<T> what) {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (T one : all) {
            FutureTask<Void> task = new FutureTask<>(() -> what.accept(one), null);
            Thread thread = new Thread(task, "demo-parallel");
            thread.setDaemon(true);
            thread.start();
            tasks.add(task);
        }
        RuntimeException failure = null;
        boolean interrupted = false;
        for (FutureTask<Void> task : tasks) {
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
