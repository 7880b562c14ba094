package dev.reservoir.emulator;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What an emulator has begun, and ends in the opposite order, once. If the process ends before that, they end with it: one that is being begun
 * meanwhile is waited for, since nobody else knows of it.
 */
final class Resources implements AutoCloseable {
    /** A start takes a minute at most. */
    private static final long START_SECONDS = 90;

    private final Thread atExit = new Thread(this::closeAtExit, "dsql-emulator-exit");
    private final CountDownLatch settled = new CountDownLatch(1);
    private final Deque<AutoCloseable> begun = new ArrayDeque<>();

    /** Before anything has begun. */
    void closeAtExitOfTheProcess() {
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** What has begun, by the thread that begins. */
    void push(AutoCloseable resource) {
        begun.push(resource);
    }

    /** Nothing more begins. */
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
            // Too late to remove it; whoever is second finds nothing to do.
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
