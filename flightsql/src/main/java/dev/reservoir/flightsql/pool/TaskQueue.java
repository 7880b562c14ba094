package dev.reservoir.flightsql.pool;

import io.grpc.Context;
import java.util.ArrayDeque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs the calls of one session one after the other, on one worker thread at a time, and on none while it is idle. */
public final class TaskQueue {
    /** Bounds the calls that wait. A caller that needs more waits for answers first. */
    private static final int WAITING_MAX = 1_000;

    private final RunningPool pool;

    /** Guarded by its own lock. */
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    private boolean running;

    public TaskQueue(RunningPool pool) {
        this.pool = pool;
    }

    /**
     * Runs the task after those before it. To cancel the future is to leave the queue, or to cancel the call that the
     * task makes.
     *
     * @param undelivered takes an answer whose future was cancelled meanwhile
     */
    public <T> CompletableFuture<T> submit(Supplier<T> task, Consumer<? super T> undelivered) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Supplier<T> carried = pool.tracing().carry(task);
        Context.CancellableContext context = Context.ROOT.withCancellation();
        CompletionStage<T> answered = result;
        answered.whenComplete((answer, error) -> {
            if (error instanceof CancellationException) {
                context.cancel(error);
            }
        });
        Runnable step = () -> {
            if (result.isDone()) {
                return;
            }
            try {
                T answer = context.call(carried::get);
                pool.inCallback(() -> {
                    if (!result.complete(answer)) {
                        undelivered.accept(answer);
                    }
                });
            } catch (Throwable e) {
                pool.inCallback(() -> result.completeExceptionally(e));
            }
        };
        synchronized (waiting) {
            if (waiting.size() >= WAITING_MAX) {
                return CompletableFuture.failedFuture(new RejectedExecutionException(
                        pool.name() + ": " + WAITING_MAX + " calls of this session wait already"));
            }
            waiting.addLast(step);
            if (running) {
                return result;
            }
            running = true;
        }
        pool.inBackground(this::runAll, this::runAll);
        return result;
    }

    private void runAll() {
        for (Runnable step = next(); step != null; step = next()) {
            step.run();
        }
    }

    private @Nullable Runnable next() {
        synchronized (waiting) {
            Runnable step = waiting.pollFirst();
            running = step != null;
            return step;
        }
    }
}
