package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A way to a store on which reads pass, and writes are answered with THROTTLED at times. */
record ThrottledWrites(Store store, Time time, BooleanSupplier throttled) implements Store {
    private static final long LATENCY_NANOS = 5_000_000L;

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        return store.read(keys, consistent);
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        return throttled.getAsBoolean() ? refusal() : store.write(write);
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        return throttled.getAsBoolean() ? refusal() : store.transact(writes, token);
    }

    private CompletionStage<Answer> refusal() {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        time.schedule(
                LATENCY_NANOS,
                () -> answer.completeExceptionally(
                        new StoreException(Kind.THROTTLED, "too many writes, as the test wants it", -1, null)));
        return answer;
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return store.list(keyPrefix, after);
    }

    @Override
    public StoreCounts counts() {
        return store.counts();
    }
}
