package dev.reservoir.bench;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Threads that do not keep the process alive, so that a pool that hangs cannot. */
public final class Daemons {

    private Daemons() {}

    public static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Runs the call on a thread of its own. The caller can wait for its result for a limited time. */
    public static <T> FutureTask<T> call(String name, Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        start(name, task);
        return task;
    }
}
