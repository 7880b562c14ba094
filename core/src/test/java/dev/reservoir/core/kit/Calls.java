package dev.reservoir.core.kit;

import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.time.VirtualTime;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ends calls on virtual time as their fates say, and knows which calls hang. */
final class Calls {
    private final VirtualTime time;
    private final Queue<Runnable> hung = new ArrayDeque<>();

    Calls(VirtualTime time) {
        this.time = time;
    }

    /**
     * A stage that ends as the fate says. The result is created when the call succeeds. Returns null for a call that
     * returns no stage.
     */
    @Nullable
    <R> CompletableFuture<R> make(Fate fate, Supplier<R> result, Runnable onFailure) {
        CompletableFuture<R> stage = new CompletableFuture<>();
        switch (fate.kind()) {
            case THROW -> {
                onFailure.run();
                throw new IllegalStateException("scripted: thrown by the call");
            }
            case NO_STAGE -> {
                onFailure.run();
                return null;
            }
            case HANG -> hung.add(() -> stage.complete(result.get()));
            case SUCCEED -> after(fate, () -> stage.complete(result.get()));
            case NOTHING ->
                after(fate, () -> {
                    onFailure.run();
                    stage.complete(null);
                });
            case FAIL ->
                after(fate, () -> {
                    onFailure.run();
                    stage.completeExceptionally(new OpenFailedException(fate.reason(), "scripted", null));
                });
            case FAIL_UNNAMED ->
                after(fate, () -> {
                    onFailure.run();
                    stage.completeExceptionally(new IllegalStateException("scripted"));
                });
        }
        return stage;
    }

    private void after(Fate fate, Runnable task) {
        if (fate.afterNanos() <= 0) {
            task.run();
        } else {
            time.schedule(fate.afterNanos(), task);
        }
    }

    int hung() {
        return hung.size();
    }

    /** Lets every call that hangs succeed, late. */
    void releaseHung() {
        for (int n = hung.size(); n > 0; n--) {
            hung.remove().run();
        }
    }
}
