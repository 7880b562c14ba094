package dev.reservoir.core.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Those who want to know when so many connections are usable. Guarded by the keeper's lock. */
final class Watches {
    private final Callbacks callbacks;
    private final List<Watch> all = new ArrayList<>();

    Watches(Callbacks callbacks) {
        this.callbacks = callbacks;
    }

    void add(int count, CompletableFuture<Void> done) {
        all.add(new Watch(count, done));
    }

    /** Completes what has come true, and forgets what nobody waits for any more. */
    void tell(int usable, Control control) {
        all.removeIf(watch -> {
            boolean over = usable >= watch.count || watch.done.isDone();
            if (over) {
                control.later(() -> callbacks.run(() -> watch.done.complete(null)));
            }
            return over;
        });
    }

    /** Ends every watch with an error. */
    void fail(RuntimeException error, Control control) {
        List<Watch> ended = List.copyOf(all);
        all.clear();
        control.later(() -> callbacks.run(() -> ended.forEach(watch -> watch.done.completeExceptionally(error))));
    }

    private record Watch(int count, CompletableFuture<Void> done) {}
}
