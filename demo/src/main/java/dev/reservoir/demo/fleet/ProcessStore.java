package dev.reservoir.demo.fleet;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store of one process that can die. After that it never answers again. */
public final class ProcessStore implements Store {
    private final Store inner;
    private final BooleanSupplier away;
    private final Consumer<Write> whenSent;
    private volatile boolean dead;

    /**
     * A store that passes requests on.
     *
     * @param away whether the store is unavailable now; requests fail then
     * @param whenSent is told every write that is sent
     */
    public ProcessStore(Store inner, BooleanSupplier away, Consumer<Write> whenSent) {
        this.inner = inner;
        this.away = away;
        this.whenSent = whenSent;
    }

    /** The process has died. From now on nothing is sent, and no pending request is answered. */
    public void die() {
        dead = true;
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        return sent(() -> inner.read(keys, consistent));
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        return sent(() -> {
            whenSent.accept(write);
            return inner.write(write);
        });
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        return sent(() -> {
            writes.forEach(whenSent);
            return inner.transact(writes, token);
        });
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return sent(() -> inner.list(keyPrefix, after));
    }

    @Override
    public StoreCounts counts() {
        return inner.counts();
    }

    private <T> CompletionStage<T> sent(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> heard = new CompletableFuture<>();
        if (dead) {
            return heard;
        }
        if (away.getAsBoolean()) {
            return CompletableFuture.failedFuture(
                    new StoreException(Kind.UNAVAILABLE, "the demo has made DynamoDB unavailable", -1, null));
        }
        var unused = call.get().whenComplete((answer, error) -> {
            if (dead) {
                return;
            }
            if (error == null) {
                heard.complete(answer);
            } else {
                heard.completeExceptionally(error);
            }
        });
        return heard;
    }
}
