package dev.reservoir.core.kit;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Starts threads together, waits for their end, and passes on their exceptions. */
public final class Threads {
    private static final long LIMIT_MILLIS = 300_000;

    private Threads() {}

    /** The work of each thread, which receives its number, from 0. */
    @FunctionalInterface
    public interface Work {
        void run(int thread) throws Exception;
    }

    /** Runs the work on platform threads. Blocks until all have ended. */
    public static void run(int count, Work work) throws Exception {
        run(count, Thread::new, work);
    }

    /** Whether this JVM has virtual threads. */
    public static boolean hasVirtual() {
        return Runtime.version().feature() >= 21;
    }

    /**
     * Runs the work on virtual threads, which the language level of this project does not support yet. Blocks until all
     * have ended.
     */
    public static void runVirtual(int count, Work work) throws Exception {
        run(count, Threads::virtual, work);
    }

    /** A virtual thread that has not started. */
    public static Thread virtual(Runnable task) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder")
                    .getMethod("unstarted", Runnable.class)
                    .invoke(builder, task);
        } catch (NoSuchMethodException
                | IllegalAccessException
                | InvocationTargetException
                | ClassNotFoundException e) {
            throw new UnsupportedOperationException("no virtual threads on this JVM", e);
        }
    }

    /** Lets other threads run, so that tests see more interleavings. Nothing depends on it. */
    @SuppressWarnings("ThreadPriorityCheck")
    public static void pauseBriefly() {
        Thread.yield();
    }

    private interface Maker {
        Thread make(Runnable task);
    }

    private static void run(int count, Maker maker, Work work) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            Thread thread = maker.make(() -> {
                try {
                    start.await();
                    work.run(number);
                } catch (Throwable e) {
                    thrown.add(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        long deadline = System.nanoTime() + LIMIT_MILLIS * 1_000_000;
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            if (thread.isAlive()) {
                AssertionError stuck = new AssertionError(thread + " does not end");
                stuck.setStackTrace(thread.getStackTrace());
                throw stuck;
            }
        }
        rethrow(thrown.peek());
    }

    private static void rethrow(@Nullable Throwable e) {
        if (e != null) {
            throw new AssertionError("a thread failed: " + e, e);
        }
    }
}
