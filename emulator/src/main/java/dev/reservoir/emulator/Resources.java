package dev.reservoir.emulator;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The resources of one emulator. Closes them once, in the reverse order of their start. If the process ends first, a
 * shutdown hook closes them. The hook waits for a start that is still going on, because nothing else knows what that
 * start has opened.
 */
final class Resources implements AutoCloseable {
    /** Longest time that the shutdown hook waits for a start. A start takes a minute at most; the rest is a margin. */
    private static final long START_SECONDS = 90;

    private final Thread atExit = new Thread(this::closeAtExit, "dsql-emulator-exit");
    private final CountDownLatch settled = new CountDownLatch(1);
    private final Deque<AutoCloseable> begun = new ArrayDeque<>();

    /** Registers the shutdown hook. Call it before the first {@link #push}. */
    void closeAtExitOfTheProcess() {
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Adds a started resource. Only the starting thread calls it. */
    void push(AutoCloseable resource) {
        begun.push(resource);
    }

    /** Says that the start is over: no resource follows. */
    void settle() {
        settled.countDown();
    }

    private void closeAtExit() {
        try {
            if (settled.await(START_SECONDS, TimeUnit.SECONDS)) {
                closeAll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException exiting) {
            // The process is ending, so the hook cannot be removed. The second call of closeAll finds nothing to
            // close.
        }
        closeAll();
    }

    private synchronized void closeAll() {
        RuntimeException failure = null;
        while (!begun.isEmpty()) {
            try {
                begun.pop().close();
            } catch (Exception e) {
                failure = failure == null ? new IllegalStateException("The emulator did not close well", e) : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
