package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** Passes reads on, and answers writes with THROTTLED at times. */
final class ThrottledWrites extends ForwardingStore {
    private static final long LATENCY_NANOS = 5_000_000L;

    private final Time time;
    private final BooleanSupplier throttled;

    ThrottledWrites(Store store, Time time, BooleanSupplier throttled) {
        super(store);
        this.time = time;
        this.throttled = throttled;
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        return throttled.getAsBoolean() ? refusal() : super.write(write);
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        return throttled.getAsBoolean() ? refusal() : super.transact(writes, token);
    }

    private CompletionStage<Answer> refusal() {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        time.schedule(
                LATENCY_NANOS,
                () -> answer.completeExceptionally(
                        new StoreException(Kind.THROTTLED, "too many writes, as the test wants it", -1, null)));
        return answer;
    }
}
