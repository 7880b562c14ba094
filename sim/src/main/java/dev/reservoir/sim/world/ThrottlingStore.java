package dev.reservoir.sim.world;

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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that throttles all writes of a process while it is told to. Reads always pass. A throttled write has no
 * effect and counts as a call and an error.
 */
final class ThrottlingStore implements Store {
    private final Store store;
    private final Time caller;
    private final LongSupplier latencyNanos;
    private final BooleanSupplier throttled;
    private long refused;

    /**
     * Wraps a store.
     *
     * @param caller the time on which the caller receives a refusal
     * @param latencyNanos drawn for every refusal
     * @param throttled whether writes are throttled now
     */
    ThrottlingStore(Store store, Time caller, LongSupplier latencyNanos, BooleanSupplier throttled) {
        this.store = store;
        this.caller = caller;
        this.latencyNanos = latencyNanos;
        this.throttled = throttled;
    }

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
        refused++;
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        caller.schedule(
                Math.max(1, latencyNanos.getAsLong()),
                () -> answer.completeExceptionally(
                        new StoreException(Kind.THROTTLED, "the coordinator throttles writes", -1, null)));
        return answer;
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return store.list(keyPrefix, after);
    }

    @Override
    public StoreCounts counts() {
        return store.counts().plus(new StoreCounts(refused, refused, refused, 0, 0, 0, 0, 0));
    }
}
