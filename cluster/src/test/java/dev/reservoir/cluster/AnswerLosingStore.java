package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Does what it is asked for, but loses the answers of the first transactions. */
public final class ClusterRepairLossy implements Store {
    private final Store store;
    private final int most;
    private int lost;

    public ClusterRepairLossy(Store store, int most) {
        this.store = store;
        this.most = most;
    }

    public int lost() {
        return lost;
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        return store.transact(writes, token).thenApply(answer -> {
            if (lost < most) {
                lost++;
                throw new StoreException(StoreException.Kind.UNAVAILABLE, "lost", -1, null);
            }
            return answer;
        });
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        return store.read(keys, consistent);
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        return store.write(write);
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, String after) {
        return store.list(keyPrefix, after);
    }

    @Override
    public StoreCounts counts() {
        return store.counts();
    }
}
