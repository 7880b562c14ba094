package dev.reservoir.jdbc.config;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the threads of a data source: by the user's factory, if there is one. They are always daemons, so that none keeps the
 * process alive, and always named after the data source, so that a reader of a log or a thread dump knows whose they are.
 */
public final class DataSourceThreads {
    private final @Nullable ThreadFactory factory;

    DataSourceThreads(@Nullable ThreadFactory factory) {
        this.factory = factory;
    }

    /** A factory whose threads all have this name. */
    public ThreadFactory named(String name) {
        return task -> make(task, name);
    }

    /** Whatever the user's factory throws, or a thread of it that has begun, is told in the one way in which executors refuse. */
    private Thread make(Runnable task, String name) {
        try {
            Thread thread = factory == null ? new Thread(task) : factory.newThread(task);
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
