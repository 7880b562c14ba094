package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** The items of a fleet on virtual time, written as its processes would, and an inspection of them. */
public final class InspectedFleet {
    static final String ENDPOINT = "orders.example";
    static final long BEGIN_SECONDS = 1_790_000_000L;
    static final long SECOND = 1_000_000_000L;
    static final Duration LEASE = Duration.ofSeconds(60);

    boolean cut;
    final VirtualTime time = new VirtualTime();
    final ModelTable table = new ModelTable(() -> BEGIN_SECONDS + time.nanos() / SECOND);
    final ModelStore store = new ModelStore(table, time, () -> 10_000_000L, () -> cut);

    ClusterSettings.Builder settings() {
        return ClusterSettings.builder(ENDPOINT).leaseTime(LEASE);
    }

    String counterKey() {
        return ItemKeys.counter(settings().build(), ENDPOINT);
    }

    String windowKey(long second) {
        return ItemKeys.window(settings().build(), second);
    }

    ClusterInspection inspection() {
        return inspection(settings());
    }

    ClusterInspection inspection(ClusterSettings.Builder settings) {
        return new ClusterInspection(settings.build(), store, store, time, this::now, this::until);
    }

    ClusterInspection byCounter() {
        return inspection(settings().leaseMode(LeaseMode.COUNTER));
    }

    private Instant now() {
        return Instant.ofEpochSecond(BEGIN_SECONDS).plusNanos(time.nanos());
    }

    long nowMillis() {
        return now().toEpochMilli();
    }

    <T> T until(CompletionStage<T> stage, long maxNanos) {
        return until(time, stage, maxNanos);
    }

    /** Advances virtual time until the stage is complete. */
    static <T> T until(VirtualTime time, CompletionStage<T> stage, long maxNanos) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        long end = time.nanos() + maxNanos;
        while (!future.isDone() && time.step(end)) {
            // On to the next.
        }
        if (!future.isDone()) {
            throw new StoreException(StoreException.Kind.UNAVAILABLE, "no answer", -1, null);
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw InspectionCalls.Wait.failure(e.getCause());
        }
    }

    void put(String key, Change... attributes) {
        table.write(Write.put(key, List.of(attributes)));
    }

    /** A member's item, its name in the set, and its share in the count. */
    void join(String id, int share, int used) {
        item(id, share, used);
        list(id);
        count(share);
    }

    void item(String id, int share, int used) {
        put(
                ItemKeys.member(ENDPOINT, id),
                Change.set(ItemKeys.BEAT, 1),
                Change.set(ItemKeys.SERVICE, "orders"),
                Change.set(ItemKeys.HOST, "ip-10-0-0-1"),
                Change.set(ItemKeys.JOINED, nowMillis()),
                Change.set(ItemKeys.RENEWED, nowMillis()),
                Change.set(ItemKeys.SHARE, share),
                Change.set(ItemKeys.USED, used));
    }

    void list(String id) {
        table.write(
                Write.update(ItemKeys.membersWith(ENDPOINT, id), List.of(Change.include(ItemKeys.IDS, Set.of(id)))));
    }

    void count(long by) {
        table.write(Write.update(
                ItemKeys.count(ENDPOINT), List.of(Change.add(ItemKeys.TOTAL, by), Change.set(ItemKeys.LIMIT, 10_000))));
    }

    long total() {
        return number(ItemKeys.count(ENDPOINT), ItemKeys.TOTAL);
    }

    long number(String key, String attribute) {
        Item item = table.item(key);
        return item == null ? 0 : item.number(attribute, 0);
    }

    Item member(String id) {
        return table.item(ItemKeys.member(ENDPOINT, id));
    }

    public Set<String> ids() {
        return ids(table, ENDPOINT);
    }

    /** The ids of the members that all shards name. */
    public static Set<String> ids(ModelTable table, String cluster) {
        Set<String> ids = new HashSet<>();
        table.forEach(ItemKeys.MEMBERS_PREFIX + cluster + "#", (key, item) -> ids.addAll(item.texts(ItemKeys.IDS)));
        return ids;
    }

    /** The member renews from now on, as long as it has an item. */
    void beat(String id, long everyNanos) {
        time.schedule(everyNanos, () -> {
            if (member(id) != null) {
                table.write(Write.update(
                        ItemKeys.member(ENDPOINT, id),
                        List.of(Change.add(ItemKeys.BEAT, 1), Change.set(ItemKeys.RENEWED, nowMillis()))));
                beat(id, everyNanos);
            }
        });
    }

    /** The member's share goes up and down from now on, at one moment with the count. */
    void move(String id, int by, long everyNanos) {
        time.schedule(everyNanos, () -> {
            if (member(id) != null) {
                table.write(Write.update(
                        ItemKeys.member(ENDPOINT, id),
                        List.of(Change.add(ItemKeys.BEAT, 1), Change.add(ItemKeys.SHARE, by))));
                table.write(Write.update(ItemKeys.count(ENDPOINT), List.of(Change.add(ItemKeys.TOTAL, by))));
                move(id, -by, everyNanos);
            }
        });
    }

    void lease(String id, String owner) {
        List<Change> attributes = new ArrayList<>(List.of(
                Change.set(ItemKeys.SERVICE, owner == null ? "go-service" : "orders"), Change.set(Store.TTL, 1)));
        if (owner != null) {
            attributes.add(Change.set(ItemKeys.OWNER, owner));
        }
        put(ItemKeys.lease(settings().build(), ENDPOINT, id), attributes.toArray(Change[]::new));
        if (owner != null && member(owner) != null) {
            table.write(Write.update(
                    ItemKeys.member(ENDPOINT, owner), List.of(Change.include(ItemKeys.LEASE_IDS, Set.of(id)))));
        }
    }

    void active(long active) {
        put(counterKey(), Change.set(ItemKeys.ACTIVE, active));
    }

    long active() {
        return number(counterKey(), ItemKeys.ACTIVE);
    }

    void bucket(long nextMicros, long sequence) {
        put(
                ItemKeys.permits(ENDPOINT),
                Change.set(ItemKeys.NEXT, nextMicros),
                Change.set(ItemKeys.SEQUENCE, sequence),
                Change.set(ItemKeys.UPDATED, nowMillis()));
    }

    static List<String> kinds(ClusterInspectionReport report) {
        return report.findings().stream()
                .map(finding -> (finding.wrong() ? "wrong " : "note ") + finding.kind())
                .toList();
    }

    static List<String> numbers(String prefix, int count) {
        String[] ids = new String[count];
        Arrays.setAll(ids, i -> prefix + i);
        return List.of(ids);
    }
}
