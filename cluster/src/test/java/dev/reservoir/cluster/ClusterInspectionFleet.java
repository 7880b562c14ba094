package dev.reservoir.cluster;

import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
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

/** Books of a fleet on virtual time, written as its processes would, and an inspection of them. */
final class ClusterInspectionFleet {
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

    <T> T until(CompletionStage<T> stage, long mostNanos) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        long end = time.nanos() + mostNanos;
        while (!future.isDone() && time.step(end)) {
            // On to the next.
        }
        if (!future.isDone()) {
            throw new StoreException(StoreException.Kind.UNAVAILABLE, "no answer", -1, null);
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw ClusterInspectionAwait.failure(e.getCause());
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
                Items.member(ENDPOINT, id),
                Change.set(Items.BEAT, 1),
                Change.set(Items.SERVICE, "orders"),
                Change.set(Items.HOST, "ip-10-0-0-1"),
                Change.set(Items.JOINED, nowMillis()),
                Change.set(Items.RENEWED, nowMillis()),
                Change.set(Items.SHARE, share),
                Change.set(Items.USED, used));
    }

    void list(String id) {
        table.write(Write.update(Items.membersWith(ENDPOINT, id), List.of(Change.include(Items.IDS, Set.of(id)))));
    }

    void count(long by) {
        table.write(Write.update(
                Items.count(ENDPOINT), List.of(Change.add(Items.TOTAL, by), Change.set(Items.LIMIT, 10_000))));
    }

    long total() {
        return number(Items.count(ENDPOINT), Items.TOTAL);
    }

    long number(String key, String attribute) {
        Item item = table.item(key);
        return item == null ? 0 : item.number(attribute, 0);
    }

    Item member(String id) {
        return table.item(Items.member(ENDPOINT, id));
    }

    Set<String> ids() {
        return ids(table, ENDPOINT);
    }

    /** Who is named as a member, in all shards. */
    static Set<String> ids(ModelTable table, String cluster) {
        Set<String> ids = new HashSet<>();
        table.forEach(Items.MEMBERS_PREFIX + cluster + "#", (key, item) -> ids.addAll(item.texts(Items.IDS)));
        return ids;
    }

    /** The member renews from now on, as long as it has an item. */
    void beat(String id, long everyNanos) {
        time.schedule(everyNanos, () -> {
            if (member(id) != null) {
                table.write(Write.update(
                        Items.member(ENDPOINT, id),
                        List.of(Change.add(Items.BEAT, 1), Change.set(Items.RENEWED, nowMillis()))));
                beat(id, everyNanos);
            }
        });
    }

    /** The member's share goes up and down from now on, at one moment with the count. */
    void move(String id, int by, long everyNanos) {
        time.schedule(everyNanos, () -> {
            if (member(id) != null) {
                table.write(Write.update(
                        Items.member(ENDPOINT, id), List.of(Change.add(Items.BEAT, 1), Change.add(Items.SHARE, by))));
                table.write(Write.update(Items.count(ENDPOINT), List.of(Change.add(Items.TOTAL, by))));
                move(id, -by, everyNanos);
            }
        });
    }

    void lease(String id, String owner) {
        List<Change> attributes = new ArrayList<>(
                List.of(Change.set(Items.SERVICE, owner == null ? "go-service" : "orders"), Change.set(Items.TTL, 1)));
        if (owner != null) {
            attributes.add(Change.set(Items.OWNER, owner));
        }
        put(Items.lease(ENDPOINT, id), attributes.toArray(Change[]::new));
        if (owner != null && member(owner) != null) {
            table.write(
                    Write.update(Items.member(ENDPOINT, owner), List.of(Change.include(Items.LEASE_IDS, Set.of(id)))));
        }
    }

    void active(long active) {
        put(Items.counter(ENDPOINT), Change.set(Items.ACTIVE, active));
    }

    long active() {
        return number(Items.counter(ENDPOINT), Items.ACTIVE);
    }

    void bucket(long nextMicros, long sequence) {
        put(
                Items.permits(ENDPOINT),
                Change.set(Items.NEXT, nextMicros),
                Change.set(Items.SEQUENCE, sequence),
                Change.set(Items.UPDATED, nowMillis()));
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
