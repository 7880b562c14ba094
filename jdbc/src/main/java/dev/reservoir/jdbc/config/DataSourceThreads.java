package dev.reservoir.jdbc.config;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the threads of a data source with the factory of the user, if there is one. Threads are always daemons, so that
 * none keeps the process alive. They are always named after the data source, so that logs and thread dumps show where
 * they belong. Never starts a thread.
 */
public final class DataSourceThreads {
    private final @Nullable ThreadFactory factory;

    public DataSourceThreads(@Nullable ThreadFactory factory) {
        this.factory = factory;
    }

    /**
     * Returns a factory whose threads all have this name at first. Returns null if the user has given none; then the
     * data source shares the threads of the process.
     */
    public @Nullable ThreadFactory named(String name) {
        ThreadFactory given = factory;
        return given == null ? null : task -> make(given, task, name);
    }

    /**
     * Reports every failure as executors do: an exception of the user's factory, no thread, or a thread that was
     * already started.
     */
    private static Thread make(ThreadFactory factory, Runnable task, String name) {
        try {
            Thread thread = factory.newThread(task);
            if (thread == null) {
                throw new RejectedExecutionException("threadFactory made no thread for " + name);
            }
            thread.setName(name);
            if (!thread.isDaemon()) {
                thread.setDaemon(true);
            }
            return thread;
        } catch (RejectedExecutionException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new RejectedExecutionException("threadFactory failed to make a thread for " + name, e);
        }
    }
}
