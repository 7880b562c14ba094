package dev.reservoir.sim.pools;

import dev.reservoir.core.spi.Time;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Attaches callbacks to completion stages. A stage swallows what its callbacks throw; here the clock throws it, so the
 * simulation fails.
 */
final class StageAnswers {
    private StageAnswers() {}

    static <R> void hear(Time time, CompletionStage<R> stage, BiConsumer<@Nullable R, @Nullable Throwable> then) {
        var unused = stage.handle((value, failure) -> {
            try {
                then.accept(value, failure);
            } catch (RuntimeException bug) {
                time.execute(() -> {
                    throw bug;
                });
            }
            return true;
        });
    }
}
