package dev.reservoir.cluster.store;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One table of items, each under its key. No method blocks. A stage fails with a {@link StoreException} and nothing else;
 * every call is answered within a bounded time, if only with such a failure. Nothing is tried twice in here: whoever calls
 * knows better what a second try means.
 *
 * <p>What a store must offer: a write under conditions is atomic for its item; {@link #transact} is atomic for all its items,
 * and does nothing if the same token was applied within the last minutes; a consistent read sees every write that was
 * answered before it was sent.
 */
public interface Store {
    /** How many keys one {@link #read} may have. */
    int KEYS_MOST = 100;

    /** How many writes one {@link #transact} may have. */
    int WRITES_MOST = 100;

    /**
     * Reads items.
     *
     * @param keys 1 to {@link #KEYS_MOST}, each once
     * @param consistent whether every answered write must be seen; otherwise what is read may be a little old
     */
    CompletionStage<Answer> read(List<String> keys, boolean consistent);

    /** Writes one item if its conditions hold. */
    CompletionStage<Answer> write(Write write);

    /**
     * Writes several items, each once, if the conditions of all hold; otherwise none.
     *
     * @param token names this transaction, at most 36 characters: the same token and writes again are applied only once
     */
    CompletionStage<Answer> transact(List<Write> writes, String token);

    /** Reads the items whose keys begin so, in pages. For operators: it may read the whole table. */
    CompletionStage<Page> list(String keyPrefix, @Nullable String after);

    /** What was asked so far. */
    StoreCounts counts();

    /**
     * Some of the items that were asked for.
     *
     * @param items by key, as they were found
     * @param next what to ask for the next page with, or null if this was the last
     */
    record Page(List<Keyed> items, @Nullable String next) {
        public Page {
            items = List.copyOf(items);
        }
    }

    /** An item with its key. */
    record Keyed(String key, Item item) {}
}
