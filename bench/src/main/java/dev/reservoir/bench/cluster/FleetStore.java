package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The store of one process. Counts the writes of the fleet, and stops when the process dies. */
final class FleetStore implements Store {
    private final Store inner;
    private final WriteCounts books;
    private volatile boolean dead;

    FleetStore(Store inner, WriteCounts books) {
        this.inner = inner;
        this.books = books;
    }

    /** From now on it sends nothing, and no request gets an answer. */
    void die() {
        dead = true;
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        return dead ? silence() : heard(inner.read(keys, consistent));
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        if (dead) {
            return silence();
        }
        books.wrote(write.key());
        return heard(inner.write(write));
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        if (dead) {
            return silence();
        }
        writes.forEach(write -> books.wrote(write.key()));
        return heard(inner.transact(writes, token));
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return inner.list(keyPrefix, after);
    }

    @Override
    public StoreCounts counts() {
        return inner.counts();
    }

    private CompletionStage<Answer> heard(CompletionStage<Answer> sent) {
        CompletableFuture<Answer> heard = new CompletableFuture<>();
        var unused = sent.whenComplete((answer, error) -> {
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

    private static CompletionStage<Answer> silence() {
        return new CompletableFuture<>();
    }
}
