package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Store.Keyed;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An operator's calls to a store, one after the other. Each blocks until it is answered and is tried a few times. */
record InspectionCalls(Time time, StoreClock clock, Wait await) {
    private static final int TRIES = 3;
    private static final long PAUSE_NANOS = 200_000_000L;

    /** Upper bound for the pages read in one listing. Pages may be empty, because the table may hold other items. */
    private static final int PAGES_MAX = 5_000;

    /** Returns those items under these keys that exist, by a consistent read. */
    Map<String, Item> read(Store store, Collection<String> keys) {
        Map<String, Item> found = new HashMap<>();
        List<String> all = List.copyOf(keys);
        for (int from = 0; from < all.size(); from += Store.KEYS_MAX) {
            List<String> some = all.subList(from, Math.min(all.size(), from + Store.KEYS_MAX));
            List<@Nullable Item> items = answer(() -> store.read(some, true)).items();
            for (int i = 0; i < some.size(); i++) {
                Item item = items.get(i);
                if (item != null) {
                    found.put(some.get(i), item);
                }
            }
        }
        return found;
    }

    /** Returns all items whose keys start with the prefix. The result may be slightly old. */
    List<Keyed> list(Store store, String keyPrefix) {
        List<Keyed> items = new ArrayList<>();
        String after = null;
        for (int page = 0; page < PAGES_MAX; page++) {
            String from = after;
            Store.Page next = tried(() -> store.list(keyPrefix, from));
            items.addAll(next.items());
            after = next.next();
            if (after == null) {
                return items;
            }
        }
        throw new StoreException(
                Kind.REFUSED,
                "the table has more than " + PAGES_MAX + " pages; it holds more than the items of a budget");
    }

    /** Applies all writes or none. A call whose answer is lost is repeated under the same token, and applied once. */
    Answer transact(Store store, List<Write> writes, String token) {
        return answer(() -> store.transact(writes, token));
    }

    /** Waits for this time. */
    void pause(long nanos) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        time.schedule(nanos, () -> over.complete(true));
        await.until(over, nanos + StoreCalls.LOST_NANOS);
    }

    private Answer answer(Supplier<CompletionStage<Answer>> call) {
        long[] sentNanos = new long[1];
        Answer answer = tried(() -> {
            sentNanos[0] = time.nanos();
            return call.get();
        });
        clock.answered(answer.storeSeconds(), sentNanos[0], time.nanos());
        return answer;
    }

    private <T> T tried(Supplier<CompletionStage<T>> call) {
        for (int attempt = 1; ; attempt++) {
            try {
                return await.until(call.get(), StoreCalls.LOST_NANOS);
            } catch (StoreException e) {
                if (e.kind() == Kind.REFUSED
                        || attempt == TRIES
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                pause(PAUSE_NANOS * attempt);
            }
        }
    }

    /** How an inspection waits for a stage: it blocks on real time, and advances virtual time. */
    @FunctionalInterface
    interface Wait {
        /** Waits until the stage completes, for at most {@code maxNanos}. Fails only with a {@link StoreException}. */
        <T> T until(CompletionStage<T> stage, long maxNanos);

        /** Waits by blocking the thread. */
        static <T> T blocking(CompletionStage<T> stage, long maxNanos) {
            try {
                return stage.toCompletableFuture().get(maxNanos, TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                throw failure(e.getCause() == null ? e : e.getCause());
            } catch (TimeoutException e) {
                throw new StoreException(Kind.UNAVAILABLE, "no answer", -1, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreException(Kind.UNAVAILABLE, "interrupted", -1, e);
            }
        }

        static StoreException failure(Throwable error) {
            return error instanceof StoreException known
                    ? known
                    : new StoreException(Kind.UNAVAILABLE, String.valueOf(error), -1, error);
        }
    }
}
