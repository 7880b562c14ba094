package dev.reservoir.core.internal.calls;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls the SPI so that a call that throws looks like a stage that fails. */
public final class SpiCalls {
    /** Bounds how many wrappers are removed, so that causes that form a cycle do not loop for ever. */
    private static final int UNWRAPPED_MAX = 8;

    private SpiCalls() {}

    public static <R> void call(
            Supplier<CompletionStage<R>> call, BiConsumer<@Nullable R, @Nullable Throwable> whenDone) {
        CompletionStage<R> stage;
        try {
            stage = Objects.requireNonNull(call.get(), "the call returned no stage");
        } catch (Throwable e) {
            whenDone.accept(null, e);
            return;
        }
        // The result of whenComplete would wrap each failure in one more exception, which nobody reads.
        var unused = stage.handle(new Answer<>(whenDone));
    }

    /** Passes an answer on. A class, because lambdas that capture something are slow until they are optimized. */
    private record Answer<R>(BiConsumer<@Nullable R, @Nullable Throwable> whenDone)
            implements BiFunction<@Nullable R, @Nullable Throwable, @Nullable Void> {
        @Override
        public @Nullable Void apply(@Nullable R result, @Nullable Throwable error) {
            whenDone.accept(result, error == null ? null : unwrapped(error));
            return null;
        }
    }

    /** The failure itself, without the exceptions that futures wrap around it. */
    static Throwable unwrapped(Throwable error) {
        Throwable t = error;
        for (int i = 0; i < UNWRAPPED_MAX; i++) {
            Throwable cause = t.getCause();
            if (cause == null || !(t instanceof CompletionException || t instanceof ExecutionException)) {
                return t;
            }
            t = cause;
        }
        return t;
    }
}
