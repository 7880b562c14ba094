package dev.reservoir.core.spi;

/**
 * A clock, timers and a place to run short tasks. No method blocks. The engine knows no other source of time.
 *
 * <p>Tasks handed to {@link #execute} and {@link #schedule} are short and never block; an implementation may run them all
 * on one thread.
 */
public interface Time {

    /** The present, in nanoseconds since an arbitrary moment before this object was made. Never negative, never goes back. */
    long nanos();

    /** Runs the task once, after the delay (at once for a delay of zero or less), unless it is cancelled before. */
    Timer schedule(long delayNanos, Runnable task);

    /** Runs the task soon, on another stack than the caller's. Tasks of one thread start in the order in which they were given. */
    void execute(Runnable task);

    /**
     * A number that tells concurrent callers apart, so that they look for a ready connection in different places. Equal
     * numbers are correct but meet in the same place. The default is the id of the calling thread.
     */
    default long lane() {
        return Thread.currentThread().getId();
    }

    /** A task that has not run yet. */
    @FunctionalInterface
    interface Timer {
        /** Forgets the task if it has not started. */
        void cancel();
    }
}
