package dev.reservoir.cluster.model;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** An in-memory table that answers at once, with the semantics of a store but no faults. For one thread at a time. */
public final class ModelTable {
    /** How long the table remembers a token. */
    private static final long TOKEN_SECONDS = 600;

    private static final int PAGE = 100;

    private final LongSupplier epochSeconds;
    private final TreeMap<String, Item> items = new TreeMap<>();

    /** The transactions that were applied, by token, oldest first. */
    private final Map<String, Applied> applied = new LinkedHashMap<>();

    private final @Nullable ModelLimits limits;
    private @Nullable ModelReplica replica;
    private long changes;

    /**
     * An empty table that takes any number of calls.
     *
     * @param epochSeconds the table's clock, in seconds since 1970
     */
    public ModelTable(LongSupplier epochSeconds) {
        this(epochSeconds, null);
    }

    /** An empty table that takes as many calls as these limits allow. */
    public ModelTable(LongSupplier epochSeconds, @Nullable ModelLimits limits) {
        this.epochSeconds = epochSeconds;
        this.limits = limits;
    }

    /** From now on, reads that need not be consistent see the items of this replica. */
    public void readFrom(ModelReplica stale) {
        replica = stale;
    }

    /** The limits and charges, or null if the table takes any number of calls. */
    public @Nullable ModelLimits limits() {
        return limits;
    }

    /** Returns a copy of all items, by key. */
    public Map<String, Item> items() {
        return Map.copyOf(items);
    }

    /** Passes every item under this prefix to the consumer, in order, without copying. It must not write here. */
    public void forEach(String keyPrefix, BiConsumer<String, Item> each) {
        for (Map.Entry<String, Item> entry : items.tailMap(keyPrefix, true).entrySet()) {
            if (!entry.getKey().startsWith(keyPrefix)) {
                return;
            }
            each.accept(entry.getKey(), entry.getValue());
        }
    }

    /** Returns how many items were written or deleted so far. While this number is the same, so is the whole table. */
    public long changes() {
        return changes;
    }

    /** Returns the item under this key, or null if there is none. */
    public @Nullable Item item(String key) {
        return items.get(key);
    }

    /** Returns the table's clock, in seconds since 1970. */
    public long nowSeconds() {
        return epochSeconds.getAsLong();
    }

    /** The same as a consistent {@link Store#read}. */
    public Answer read(List<String> keys) {
        return read(keys, true);
    }

    /** The same as {@link Store#read}. */
    public Answer read(List<String> keys, boolean consistent) {
        if (keys.isEmpty() || keys.size() > Store.KEYS_MAX) {
            throw refuse(keys.size() + " keys; allowed: 1 to " + Store.KEYS_MAX);
        }
        if (new HashSet<>(keys).size() < keys.size()) {
            throw refuse("the same key twice: " + keys);
        }
        List<@Nullable Item> found = new ArrayList<>(keys.size());
        for (String key : keys) {
            Item item = items.get(key);
            if (replica != null && !consistent) {
                item = replica.read(key, item);
            }
            if (limits != null) {
                limits.read(key, item, consistent);
            }
            found.add(item);
        }
        return answer(true, found, List.of());
    }

    /** The same as {@link Store#write}. */
    public Answer write(Write write) {
        understand(write);
        if (write.kind() == Write.Kind.CHECK) {
            throw refuse("CHECK of " + write.key() + " is for transactions");
        }
        Item before = items.get(write.key());
        boolean holds = holds(write, before);
        Item after = holds ? after(write, before) : before;
        if (limits != null) {
            limits.write(write.key(), before, after);
        }
        if (!holds) {
            return answer(false, Collections.singletonList(before), List.of());
        }
        store(write.key(), after);
        return answer(true, Collections.singletonList(after), List.of());
    }

    /** The same as {@link Store#transact}. */
    public Answer transact(List<Write> writes, String token) {
        if (writes.isEmpty() || writes.size() > Store.WRITES_MAX) {
            throw refuse(writes.size() + " writes; allowed: 1 to " + Store.WRITES_MAX);
        }
        if (token.isEmpty() || token.length() > Store.TOKEN_LENGTH_MAX) {
            throw refuse("the token \"" + token + "\"; allowed: 1 to " + Store.TOKEN_LENGTH_MAX + " characters");
        }
        writes.forEach(ModelTable::understand);
        long now = nowSeconds();
        forgetTokens(now);
        Applied earlier = applied.get(token);
        if (earlier != null) {
            if (!earlier.writes.equals(writes)) {
                throw refuse("the token " + token + " was used for other writes");
            }
            return answer(true, List.of(), List.of());
        }
        Map<String, @Nullable Item> results = new LinkedHashMap<>();
        List<@Nullable Item> found = new ArrayList<>();
        List<Integer> refused = new ArrayList<>();
        for (Write write : writes) {
            if (results.containsKey(write.key())) {
                throw refuse("the key " + write.key() + " twice");
            }
            Item before = items.get(write.key());
            if (holds(write, before)) {
                // A change of the wrong type is refused before the conditions of other writes are checked.
                results.put(write.key(), after(write, before));
                found.add(null);
            } else {
                results.put(write.key(), null);
                refused.add(found.size());
                found.add(before);
            }
        }
        if (limits != null) {
            List<String> keys = List.copyOf(results.keySet());
            List<@Nullable Item> before = new ArrayList<>();
            keys.forEach(key -> before.add(items.get(key)));
            limits.transact(keys, before, new ArrayList<>(results.values()));
        }
        if (!refused.isEmpty()) {
            return answer(false, found, refused);
        }
        results.forEach(this::store);
        applied.put(token, new Applied(List.copyOf(writes), now));
        return answer(true, List.of(), List.of());
    }

    /** Forgets old tokens. If the clock goes back, they are not in order, and some are remembered for longer. */
    private void forgetTokens(long nowSeconds) {
        Iterator<Applied> oldest = applied.values().iterator();
        while (oldest.hasNext() && nowSeconds - oldest.next().atSeconds > TOKEN_SECONDS) {
            oldest.remove();
        }
    }

    /** The same as {@link Store#list}. */
    public Store.Page list(String keyPrefix, @Nullable String after) {
        List<Store.Keyed> page = new ArrayList<>();
        for (Map.Entry<String, Item> entry :
                items.tailMap(after == null ? keyPrefix : after, after == null).entrySet()) {
            if (!entry.getKey().startsWith(keyPrefix)) {
                break;
            }
            page.add(new Store.Keyed(entry.getKey(), entry.getValue()));
            if (page.size() == PAGE) {
                return new Store.Page(page, entry.getKey());
            }
        }
        return new Store.Page(page, null);
    }

    private Answer answer(boolean done, List<@Nullable Item> found, List<Integer> refused) {
        return new Answer(done, found, refused, nowSeconds());
    }

    private void store(String key, @Nullable Item item) {
        changes++;
        if (replica != null) {
            replica.written(key, items.get(key), item);
        }
        if (item == null) {
            items.remove(key);
        } else {
            items.put(key, item);
        }
    }

    /** Refuses writes that no store understands, whatever the table contains. */
    private static void understand(Write write) {
        List<Change> changes = write.changes();
        for (int i = 0; i < changes.size(); i++) {
            Change change = changes.get(i);
            for (int j = 0; j < i; j++) {
                if (changes.get(j).attribute().equals(change.attribute())) {
                    throw refuse("attribute " + change.attribute() + " of " + write.key() + " is changed twice");
                }
            }
            boolean fits = write.kind() == Write.Kind.UPDATE
                    || (write.kind() == Write.Kind.PUT && change.action() == Change.Action.SET);
            if (!fits || (change.value() instanceof Set<?> set && set.isEmpty())) {
                throw refuse(change + " of " + write.key() + " is not possible in a " + write.kind());
            }
        }
        if ((write.kind() == Write.Kind.CHECK && write.conditions().isEmpty())
                || (write.kind() == Write.Kind.UPDATE && changes.isEmpty())) {
            throw refuse(write.kind() + " of " + write.key() + " does nothing");
        }
    }

    private static boolean holds(Write write, @Nullable Item item) {
        for (Condition condition : write.conditions()) {
            if (!holds(condition, item)) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(Condition condition, @Nullable Item item) {
        Object value = item == null ? null : item.attributes().get(condition.attribute());
        if (value == null) {
            return condition.absentToo() || condition.test() == Condition.Test.ABSENT;
        }
        if (condition.test() == Condition.Test.EQUAL) {
            return value.equals(condition.value());
        }
        boolean comparable = value instanceof Long && condition.value() instanceof Long;
        int order =
                value instanceof Long left && condition.value() instanceof Long right ? Long.compare(left, right) : 0;
        return switch (condition.test()) {
            case PRESENT -> true;
            case ABSENT, EQUAL -> false;
            case LESS -> comparable && order < 0;
            case AT_MOST -> comparable && order <= 0;
            case AT_LEAST -> comparable && order >= 0;
        };
    }

    private static @Nullable Item after(Write write, @Nullable Item before) {
        return switch (write.kind()) {
            case DELETE -> null;
            case CHECK -> before;
            case PUT -> changed(new HashMap<>(), write.changes());
            case UPDATE ->
                changed(before == null ? new HashMap<>() : new HashMap<>(before.attributes()), write.changes());
        };
    }

    private static Item changed(Map<String, Object> attributes, List<Change> changes) {
        for (Change change : changes) {
            Object now = attributes.get(change.attribute());
            Object next = next(now, change);
            if (next == null) {
                attributes.remove(change.attribute());
            } else {
                attributes.put(change.attribute(), next);
            }
        }
        return new Item(attributes);
    }

    private static @Nullable Object next(@Nullable Object now, Change change) {
        return switch (change.action()) {
            case SET -> change.value();
            case REMOVE -> null;
            case ADD -> {
                if ((now != null && !(now instanceof Long)) || !(change.value() instanceof Long more)) {
                    throw refuse("attribute " + change.attribute() + " is not a number");
                }
                yield (now == null ? 0 : (Long) now) + more;
            }
            case INCLUDE, EXCLUDE -> {
                if ((now != null && !(now instanceof Set<?>)) || !(change.value() instanceof Set<?> texts)) {
                    throw refuse("attribute " + change.attribute() + " is not a set");
                }
                // Keep the set sorted, so that it can be copied quickly.
                SortedSet<Object> set = now == null ? new TreeSet<>() : new TreeSet<>((Set<?>) now);
                if (change.action() == Change.Action.INCLUDE) {
                    set.addAll(texts);
                } else {
                    set.removeAll(texts);
                }
                yield set.isEmpty() ? null : Collections.unmodifiableSortedSet(set);
            }
        };
    }

    private static StoreException refuse(String why) {
        return new StoreException(Kind.REFUSED, why);
    }

    private record Applied(List<Write> writes, long atSeconds) {}
}
