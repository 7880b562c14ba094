package dev.reservoir.jdbc;

import java.util.concurrent.Executor;

/** Hands log lines to a thread that may hang in them. Never blocks and never throws: a line too many is dropped. */
final class Events {
    private final Executor executor;

    Events(Executor executor) {
        this.executor = executor;
    }

    /** Whether the task was taken. */
    boolean run(Runnable task) {
        try {
            executor.execute(task);
            return true;
        } catch (RuntimeException | Error refused) {
            return false;
        }
    }
}
