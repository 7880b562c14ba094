package dev.reservoir.cluster.store;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One table of items, each under its key. No method blocks. A stage fails only with a {@link StoreException}. Every
 * call is answered within a bounded time, if only with such a failure. A store never retries: the caller knows better
 * what a second attempt means.
 *
 * <p>A store must give these guarantees. A conditional write is atomic for its item. {@link #transact} is atomic for
 * all its items, and does nothing if the same token was applied within the last minutes. A consistent read sees every
 * write that was answered before the read was sent.
 */
public interface Store {
    /** Largest number of keys in one {@link #read}. Every store accepts this many. */
    int KEYS_MAX = 100;

    /** Largest number of writes in one {@link #transact}. Every store accepts this many. */
    int WRITES_MAX = 100;

    /** Largest number of characters in the token of one {@link #transact}. Every store accepts this many. */
    int TOKEN_LENGTH_MAX = 36;

    /**
     * The attribute that says when a store may delete an item, in seconds since 1970. A store need not delete anything.
     * Only items that count nothing any more by then have it.
     */
    String TTL = "ttl_epoch";

    /**
     * Reads items. Does not block.
     *
     * @param keys 1 to {@link #KEYS_MAX} keys, without duplicates
     * @param consistent whether the read must see every answered write; otherwise the items may be slightly old
     */
    CompletionStage<Answer> read(List<String> keys, boolean consistent);

    /** Writes one item if its conditions hold. Does not block. */
    CompletionStage<Answer> write(Write write);

    /**
     * Writes several different items if the conditions of all writes hold; otherwise writes none. Does not block.
     *
     * @param token identifies this transaction, 1 to {@link #TOKEN_LENGTH_MAX} characters; the same token and writes
     *     are applied only once
     */
    CompletionStage<Answer> transact(List<Write> writes, String token);

    /**
     * Reads the items whose keys start with the prefix, page by page. For operators, because it may read the whole
     * table. Does not block.
     *
     * @param after what the previous page returned as {@code next}, or null for the first page
     */
    CompletionStage<Page> list(String keyPrefix, @Nullable String after);

    /** Returns the number and cost of the calls so far. Does not block. */
    StoreCounts counts();

    /**
     * One page of the requested items.
     *
     * @param items the items that were found, with their keys
     * @param next the value to request the next page with, or null if this is the last page
     */
    record Page(List<Keyed> items, @Nullable String next) {
        public Page {
            items = List.copyOf(items);
        }
    }

    /** An item with its key. */
    record Keyed(String key, Item item) {}
}
