package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The store of one process. Counts the writes of the fleet, and stops when the process dies. */
final class FleetStore implements Store {
    private final Store inner;
    private final WriteCounts writeCounts;
    private volatile boolean dead;

    FleetStore(Store inner, WriteCounts writeCounts) {
        this.inner = inner;
        this.writeCounts = writeCounts;
    }

    /** From now on it sends nothing, and no request gets an answer. */
    void die() {
        dead = true;
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        return dead ? noAnswer() : untilDeath(inner.read(keys, consistent));
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        if (dead) {
            return noAnswer();
        }
        writeCounts.add(write.key());
        return untilDeath(inner.write(write));
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        if (dead) {
            return noAnswer();
        }
        writes.forEach(write -> writeCounts.add(write.key()));
        return untilDeath(inner.transact(writes, token));
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return inner.list(keyPrefix, after);
    }

    @Override
    public StoreCounts counts() {
        return inner.counts();
    }

    /** Passes an answer on, unless the process has died before it arrives. */
    private CompletionStage<Answer> untilDeath(CompletionStage<Answer> sent) {
        CompletableFuture<Answer> received = new CompletableFuture<>();
        var unused = sent.whenComplete((answer, error) -> {
            if (dead) {
                return;
            }
            if (error == null) {
                received.complete(answer);
            } else {
                received.completeExceptionally(error);
            }
        });
        return received;
    }

    private static CompletionStage<Answer> noAnswer() {
        return new CompletableFuture<>();
    }

    /**
     * Counts a fleet's writes by the kind of item, which is the part of its key before the first {@code #}. Safe for
     * use by several threads.
     */
    static final class WriteCounts {
        private final Map<String, LongAdder> byKind = new ConcurrentHashMap<>();

        private void add(String key) {
            byKind.computeIfAbsent(key.substring(0, key.indexOf('#')), unused -> new LongAdder())
                    .increment();
        }

        /** The number of writes of items of these kinds. */
        long of(String... kinds) {
            return Stream.of(kinds)
                    .map(byKind::get)
                    .filter(Objects::nonNull)
                    .mapToLong(LongAdder::sum)
                    .sum();
        }
    }
}
