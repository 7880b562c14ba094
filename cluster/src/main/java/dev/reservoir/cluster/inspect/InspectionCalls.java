package dev.reservoir.cluster.inspect;

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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An operator's calls to a store: one after the other, each waited for and tried a few times. Blocks. */
final class InspectionCalls {
    private static final int TRIES = 3;
    private static final long PAUSE_NANOS = 200_000_000L;

    /** After which a call counts as lost. The store itself gives up before. */
    private static final long LOST_NANOS = 8_000_000_000L;

    /** A page may be empty, since the table may hold other items: a bound on those that are asked for. */
    private static final int PAGES_MOST = 5_000;

    private final Time time;
    private final StoreClock clock;
    private final InspectionWait await;

    InspectionCalls(Time time, StoreClock clock, InspectionWait await) {
        this.time = time;
        this.clock = clock;
        this.await = await;
    }

    /** The items under these keys, those that there are, as they are now. */
    Map<String, Item> read(Store store, Collection<String> keys) {
        Map<String, Item> found = new HashMap<>();
        List<String> all = List.copyOf(keys);
        for (int from = 0; from < all.size(); from += Store.KEYS_MOST) {
            List<String> some = all.subList(from, Math.min(all.size(), from + Store.KEYS_MOST));
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

    /** All items whose keys begin so, as they were not long ago. */
    List<Keyed> list(Store store, String keyPrefix) {
        List<Keyed> items = new ArrayList<>();
        String after = null;
        for (int page = 0; page < PAGES_MOST; page++) {
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
                "the table has more than " + PAGES_MOST + " pages; it holds more than the books",
                -1,
                null);
    }

    /** Writes all or nothing. A lost answer is settled by the token: the same again is applied only once. */
    Answer transact(Store store, List<Write> writes, String token) {
        return answer(() -> store.transact(writes, token));
    }

    /** Lets time pass. */
    void pause(long nanos) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        time.schedule(nanos, () -> over.complete(true));
        await.until(over, nanos + LOST_NANOS);
    }

    private Answer answer(Supplier<CompletionStage<Answer>> call) {
        long[] sentNanos = new long[1];
        Answer answer = tried(() -> {
            sentNanos[0] = time.nanos();
            return call.get();
        });
        clock.heard(answer.storeSeconds(), sentNanos[0], time.nanos());
        return answer;
    }

    private <T> T tried(Supplier<CompletionStage<T>> call) {
        for (int attempt = 1; ; attempt++) {
            try {
                return await.until(call.get(), LOST_NANOS);
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
}
