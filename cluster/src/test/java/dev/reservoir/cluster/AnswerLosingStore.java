package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Does what it is asked for, but loses the answers of the first transactions. */
public final class AnswerLosingStore extends ForwardingStore {
    private final int max;
    private int lost;

    public AnswerLosingStore(Store store, int max) {
        super(store);
        this.max = max;
    }

    public int lost() {
        return lost;
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        return super.transact(writes, token).thenApply(answer -> {
            if (lost < max) {
                lost++;
                throw new StoreException(StoreException.Kind.UNAVAILABLE, "lost", -1, null);
            }
            return answer;
        });
    }
}
