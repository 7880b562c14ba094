package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Passes every call on to another store. A test overrides the calls that are to behave differently. */
public abstract class ForwardingStore implements Store {
    private final Store inner;

    protected ForwardingStore(Store inner) {
        this.inner = inner;
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        return inner.read(keys, consistent);
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        return inner.write(write);
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        return inner.transact(writes, token);
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return inner.list(keyPrefix, after);
    }

    @Override
    public StoreCounts counts() {
        return inner.counts();
    }
}
