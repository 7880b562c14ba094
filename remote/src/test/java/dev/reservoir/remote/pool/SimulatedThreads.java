package dev.reservoir.remote.pool;

import dev.reservoir.core.time.VirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Threads on virtual time, for code that blocks. Only one of them runs at a time, and only while the thread that moves
 * the time waits for it. So the order of everything depends on the virtual time alone, and a run can be repeated.
 */
final class SimulatedThreads implements Executor, AutoCloseable {
    /** Bounds the real time of one turn, so that a deadlock is a failure and not a hang. */
    private static final long TURN_MAX_SECONDS = 60;

    private final VirtualTime time;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "simulated");
        thread.setDaemon(true);
        return thread;
    });

    /** The turn of the thread that moves the time. */
    private final Semaphore mover = new Semaphore(0);

    @SuppressWarnings("ThreadLocalUsage") // the threads belong to this object and end with it
    private final ThreadLocal<Semaphore> turn = new ThreadLocal<>();

    private volatile @Nullable Throwable failure;

    SimulatedThreads(VirtualTime time) {
        this.time = time;
    }

    /** Starts a thread at the present time. Its failure ends the simulation. */
    @Override
    public void execute(Runnable task) {
        Semaphore mine = new Semaphore(0);
        threads.execute(() -> {
            take(mine);
            turn.set(mine);
            try {
                task.run();
            } catch (Throwable e) {
                failure = e;
            } finally {
                mover.release();
            }
        });
        time.execute(() -> resume(mine));
    }

    private void resume(Semaphore thread) {
        thread.release();
        take(mover);
        if (failure != null) {
            throw new IllegalStateException("a simulated thread failed", failure);
        }
    }

    /** Blocks the simulated thread until the stage is complete. Returns its value, or throws a CompletionException. */
    <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            Semaphore mine = turn.get();
            var unused = future.whenComplete((value, error) -> time.execute(() -> resume(mine)));
            mover.release();
            take(mine);
        }
        return future.join();
    }

    /** Blocks the simulated thread for this long. */
    void sleep(long nanos) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        time.start(nanos, () -> over.complete(true));
        await(over);
    }

    private static void take(Semaphore turn) {
        try {
            if (!turn.tryAcquire(TURN_MAX_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a simulated thread does not give up its turn");
            }
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    /** Ends threads that still wait. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
