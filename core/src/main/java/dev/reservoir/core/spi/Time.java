package dev.reservoir.core.spi;

/**
 * A clock, timers and an executor of short tasks. No method blocks. The engine has no other source of time.
 *
 * <p>Tasks passed to {@link #execute} and {@link #schedule} are short and never block. An implementation may run them
 * all on one thread.
 */
public interface Time {

    /**
     * The present, in nanoseconds since an arbitrary moment before this object was created. Never negative, and never
     * decreases.
     */
    long nanos();

    /**
     * Runs the task once, after the delay, unless it is cancelled first. A delay of zero or less runs it as soon as
     * possible.
     */
    Timer schedule(long delayNanos, Runnable task);

    /** Runs the task soon, but not inside this call. Tasks from one thread start in the order of submission. */
    void execute(Runnable task);

    /**
     * A number that tells concurrent callers apart, so that they look for a ready connection in different places.
     * Callers with equal numbers work correctly but start at the same place. The default is the id of the calling
     * thread.
     */
    default long lane() {
        return Thread.currentThread().getId();
    }

    /** A task that has not run yet. */
    @FunctionalInterface
    interface Timer {
        /** Cancels the task if it has not started. */
        void cancel();
    }
}
