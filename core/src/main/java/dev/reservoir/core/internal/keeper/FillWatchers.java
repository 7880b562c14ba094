package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.calls.Callbacks;
import dev.reservoir.core.internal.calls.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Holds the futures that wait for a number of usable connections. Guarded by the keeper's lock. */
final class FillWatchers {
    private final List<Watch> all = new ArrayList<>();

    void add(int count, CompletableFuture<Void> done, @Nullable Callbacks callbacks) {
        all.add(new Watch(count, done, callbacks));
    }

    /** Completes the futures whose number is reached, and removes those that nobody waits for any more. */
    void tell(int usable, EventLoop eventLoop) {
        if (all.isEmpty()) {
            return;
        }
        all.removeIf(watch -> {
            boolean over = usable >= watch.count || watch.done.isDone();
            if (over) {
                eventLoop.later(() -> run(watch.callbacks, () -> watch.done.complete(null)));
            }
            return over;
        });
    }

    /** Ends every wait with an error. */
    void fail(RuntimeException error, EventLoop eventLoop) {
        List<Watch> ended = List.copyOf(all);
        all.clear();
        eventLoop.later(
                () -> ended.forEach(watch -> run(watch.callbacks, () -> watch.done.completeExceptionally(error))));
    }

    static void run(@Nullable Callbacks callbacks, Runnable completion) {
        if (callbacks == null) {
            completion.run();
        } else {
            callbacks.run(completion);
        }
    }

    /**
     * One future that waits.
     *
     * @param callbacks completes the future; null for the current thread
     */
    private record Watch(
            int count,
            CompletableFuture<Void> done,
            @Nullable Callbacks callbacks) {}
}
