package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Counter;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Lease;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Member;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Shares;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Store.Keyed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the members and the counts of leases. Each call reads everything once. Never writes. Blocks. */
final class LeaseInspection {
    /** Prefix of the owner of a lease, to distinguish it from a member when both are observed. */
    static final String OWNER = "owner ";

    private final ClusterSettings settings;
    private final Store store;
    private final InspectionCalls calls;
    private final HeartbeatInspection heartbeats;
    private final String count;
    private final List<String> shards;
    private final String counter;
    private final String memberPrefix;

    /** Members that have an item, listed or not. Determined only once, because it may read the whole table. */
    private @Nullable Set<String> found;

    LeaseInspection(ClusterSettings settings, Store store, InspectionCalls calls, HeartbeatInspection heartbeats) {
        this.settings = settings;
        this.store = store;
        this.calls = calls;
        this.heartbeats = heartbeats;
        count = ItemKeys.count(settings.cluster());
        shards = ItemKeys.allMembers(settings.cluster());
        counter = ItemKeys.counter(settings, settings.endpoint());
        memberPrefix = ItemKeys.member(settings.cluster(), "");
    }

    /**
     * The result of one reading.
     *
     * @param moved whether the count or the members changed during the reading, so that the numbers may not fit
     *     together
     * @param activeBefore the value of the counter before the leases were listed
     * @param isOtherModeUsed whether something is counted in the other mode as well
     */
    record Reading(
            boolean moved,
            long activeBefore,
            List<Member> members,
            @Nullable Shares shares,
            @Nullable Counter counter,
            boolean isOtherModeUsed) {}

    /**
     * Reads the members twice and the count in between. If a member's holdings are the same in both readings and it
     * wrote at most once, they cannot have changed in between. Then all of them belong to the count that was read.
     */
    Reading read() {
        boolean byCounter = settings.leaseMode() == LeaseMode.COUNTER;
        List<String> heads = new ArrayList<>(shards);
        heads.add(counter);
        Map<String, Item> first = calls.read(store, heads);
        heads.add(count);
        Set<String> listed = ids(first);
        List<Lease> leases = byCounter ? leases() : List.of();
        List<Member> before = members(listed);
        Map<String, Item> between = calls.read(store, heads);
        List<Member> after = members(listed);
        Map<String, Item> last = calls.read(store, shards);
        long unclaimed = unclaimed(between);
        boolean moved = !listed.equals(ids(between))
                || !listed.equals(ids(last))
                || unclaimed(first) != unclaimed
                || unclaimed(last) != unclaimed
                || !isSame(before, after);
        watchOnly(after, leases);
        long activeBefore = ItemKeys.number(first.get(counter), ItemKeys.ACTIVE);
        long active = ItemKeys.number(between.get(counter), ItemKeys.ACTIVE);
        Item item = between.get(count);
        long total = ItemKeys.number(item, ItemKeys.TOTAL);
        if (byCounter) {
            Counter counted = new Counter(between.containsKey(counter), active, settings.limit(), leases);
            return new Reading(moved, activeBefore, after, null, counted, total > 0);
        }
        if (settings.leaseMode() == null) {
            return new Reading(moved, activeBefore, after, null, null, false);
        }
        long sum = unclaimed + after.stream().mapToLong(Member::share).sum();
        Shares shares = new Shares(
                item != null,
                total,
                sum,
                ItemKeys.number(item, ItemKeys.LIMIT),
                ItemKeys.number(item, ItemKeys.HUNGRY));
        return new Reading(moved, activeBefore, after, shares, null, active > 0);
    }

    private static boolean isSame(List<Member> before, List<Member> after) {
        if (before.size() != after.size()) {
            return false;
        }
        for (int i = 0; i < before.size(); i++) {
            Member then = before.get(i);
            Member now = after.get(i);
            long writes = now.beat() - then.beat();
            boolean same = then.id().equals(now.id())
                    && then.written() == now.written()
                    && then.share() == now.share()
                    && then.leaseIds().equals(now.leaseIds());
            if (!same || writes < 0 || writes > 1) {
                return false;
            }
        }
        return true;
    }

    private Set<String> ids(Map<String, Item> heads) {
        Set<String> ids = new HashSet<>();
        for (String shard : shards) {
            Item item = heads.get(shard);
            if (item != null) {
                ids.addAll(item.texts(ItemKeys.IDS));
            }
        }
        return ids;
    }

    /** Returns the number of unclaimed leases in all shards. */
    private long unclaimed(Map<String, Item> heads) {
        return shards.stream()
                .mapToLong(shard -> ItemKeys.number(heads.get(shard), ItemKeys.FREE))
                .sum();
    }

    private List<Member> members(Set<String> listed) {
        if (found == null) {
            found = new HashSet<>();
            for (Keyed keyed : calls.list(store, memberPrefix)) {
                found.add(keyed.key().substring(memberPrefix.length()));
            }
        }
        TreeSet<String> ids = new TreeSet<>(found);
        ids.addAll(listed);
        Map<String, Item> items =
                calls.read(store, ids.stream().map(id -> memberPrefix + id).toList());
        List<Member> all = new ArrayList<>();
        for (String id : ids) {
            Item item = items.get(memberPrefix + id);
            heartbeats.goesBy(ItemKeys.leaseNanos(item, Duration.ZERO));
            if (item != null) {
                heartbeats.saw(id, item.number(ItemKeys.BEAT, 0));
            }
            if (item != null || listed.contains(id)) {
                all.add(member(id, listed.contains(id), item));
            }
        }
        return all;
    }

    private Member member(String id, boolean listed, @Nullable Item item) {
        Item known = item == null ? new Item(Map.of()) : item;
        return new Member(
                id,
                listed,
                item != null,
                text(known, ItemKeys.SERVICE),
                text(known, ItemKeys.HOST),
                text(known, ItemKeys.ENDPOINT),
                known.number(ItemKeys.SHARE, 0),
                known.attributes().containsKey(ItemKeys.SHARE),
                known.number(ItemKeys.USED, 0),
                known.texts(ItemKeys.LEASE_IDS),
                known.number(ItemKeys.JOINED, 0),
                known.number(ItemKeys.RENEWED, 0),
                known.number(ItemKeys.BEAT, 0),
                item == null ? 0 : heartbeats.beats(id),
                item == null ? 0 : heartbeats.stillNanos(id));
    }

    private static String text(Item item, String name) {
        return Objects.requireNonNullElse(item.text(name), "");
    }

    private List<Lease> leases() {
        String prefix = ItemKeys.lease(settings, settings.endpoint(), "");
        List<Lease> leases = new ArrayList<>();
        for (Keyed keyed : calls.list(store, prefix)) {
            Item item = keyed.item();
            leases.add(new Lease(
                    keyed.key().substring(prefix.length()), item.text(ItemKeys.OWNER), text(item, ItemKeys.SERVICE)));
        }
        return leases;
    }

    /** Forgets who is gone. Owners of leases that are no members may join again, so they are observed, too. */
    private void watchOnly(List<Member> all, List<Lease> leases) {
        Set<String> watched = new HashSet<>();
        all.stream().filter(Member::written).forEach(member -> watched.add(member.id()));
        for (Lease lease : leases) {
            if (lease.owner() != null && !watched.contains(lease.owner()) && watched.add(OWNER + lease.owner())) {
                heartbeats.saw(OWNER + lease.owner(), 0);
            }
        }
        heartbeats.keepOnly(watched);
    }
}
