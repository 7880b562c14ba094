package dev.reservoir.core.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Those who want to know when so many connections are usable. Guarded by the keeper's lock. */
final class Watches {
    private final List<Watch> all = new ArrayList<>();

    void add(int count, CompletableFuture<Void> done) {
        all.add(new Watch(count, done));
    }

    /** Completes what has come true, and forgets what nobody waits for any more. */
    void tell(int usable, Control control) {
        all.removeIf(watch -> {
            boolean over = usable >= watch.count || watch.done.isDone();
            if (over) {
                control.later(() -> watch.done.complete(null));
            }
            return over;
        });
    }

    private record Watch(int count, CompletableFuture<Void> done) {}
}
