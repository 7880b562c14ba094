package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Bucket;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Counter;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Finding;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Member;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Shares;
import dev.reservoir.cluster.leases.CounterWrites;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns findings about the counts and the member list into the writes that correct them. Never reads or writes. */
final class RepairPlanner {
    private final ClusterInspection inspection;
    private final ClusterSettings settings;
    private final String cluster;

    /** The value of the counter after the planned steps. */
    private long activeLeft;

    RepairPlanner(ClusterInspection inspection) {
        this.inspection = inspection;
        this.settings = inspection.settings;
        this.cluster = settings.cluster();
    }

    List<ClusterRepairStep> steps(ClusterInspectionReport report, @Nullable Long setActive) {
        Map<String, Member> members = new HashMap<>();
        report.members().forEach(member -> members.put(member.id(), member));
        List<ClusterRepairStep> steps = new ArrayList<>();
        List<String> unlisted = new ArrayList<>();
        Counter counter = report.counter();
        activeLeft = counter == null ? 0 : counter.active();
        for (Finding finding : report.findings()) {
            if (!finding.wrong()) {
                continue;
            }
            switch (finding.kind()) {
                // This comes first, because nothing can be taken back from a count that is too low.
                case COUNT_DIFFERS -> steps.add(count(Objects.requireNonNull(report.shares()), report));
                case MEMBER_DEAD -> takeBack(Objects.requireNonNull(members.get(finding.subject())), report, steps);
                case MEMBER_WITHOUT_ITEM -> unlisted.add(finding.subject());
                // Only a member that was seen to be alive is listed. A dead one is taken back instead.
                case MEMBER_NOT_LISTED -> {
                    if (Objects.requireNonNull(members.get(finding.subject())).beatsSeen() > 0) {
                        steps.add(list(finding.subject()));
                    }
                }
                case LEASES_OF_NOBODY -> takeBackOfNobody(finding.subject(), report, steps);
                case BUCKET_FAR_AHEAD -> steps.add(bucket(Objects.requireNonNull(report.bucket())));
                default -> {}
            }
        }
        unlisted.forEach(id -> steps.add(unlist(id)));
        if (setActive != null && counter != null) {
            steps.add(active(counter, setActive));
        }
        return steps;
    }

    /**
     * Sets the count, on condition that it and every share are as they were read. The condition checks the shares and
     * not the heartbeats, because a renewal changes nothing here and a large fleet renews all the time. If there are
     * more members than fit into a transaction, the rest is not checked. Every process changes its share and the count
     * together. So the difference that was read twice is still the right correction, whatever these processes did in
     * the meantime.
     */
    private ClusterRepairStep count(Shares shares, ClusterInspectionReport report) {
        List<Member> written = report.members().stream().filter(Member::written).toList();
        List<Member> checked = written.stream()
                .sorted(Comparator.comparingLong(Member::share).reversed())
                .limit(Store.WRITES_MAX - 1)
                .toList();
        List<Write> writes = new ArrayList<>();
        writes.add(Write.update(
                ItemKeys.count(cluster),
                List.of(Change.set(ItemKeys.TOTAL, shares.sum()), updated()),
                shares.written() ? equalOrNothing(ItemKeys.TOTAL, shares.total()) : Condition.absent(ItemKeys.TOTAL)));
        for (Member member : checked) {
            writes.add(Write.check(
                    ItemKeys.member(cluster, member.id()),
                    Condition.present(ItemKeys.BEAT),
                    equalOrNothing(ItemKeys.SHARE, member.share())));
        }
        int more = written.size() - checked.size();
        String unchecked = more == 0
                ? ", if no share has changed"
                : ", if none of the " + checked.size()
                        + " largest shares has changed (a transaction has no place for the" + " other " + more + ")";
        return new ClusterRepairStep(
                ClusterRepairStep.Kind.SET_COUNT,
                "set the count from " + shares.total() + " to " + shares.sum() + unchecked,
                writes);
    }

    /** A number that was read as 0 may be absent. */
    private static Condition equalOrNothing(String attribute, long value) {
        Condition equal = Condition.equal(attribute, value);
        return value == 0 ? equal.orAbsent() : equal;
    }

    /**
     * Takes back what a dead member holds, in the way the processes of the fleet do it: in one transaction, or in
     * several. Each of several transactions changes the heartbeat, which tells the member if it is alive after all.
     */
    private void takeBack(Member member, ClusterInspectionReport report, List<ClusterRepairStep> steps) {
        Counter counter = report.counter();
        boolean elsewhere = counter == null || InspectionFindings.isCountedElsewhere(member, settings);
        if (elsewhere && !member.leaseIds().isEmpty()) {
            // The leases of this member were not read, and without the member nobody would find them.
            return;
        }
        String key = ItemKeys.member(cluster, member.id());
        List<String> leases =
                counter == null ? List.of() : List.copyOf(counter.byOwner().getOrDefault(member.id(), Set.of()));
        long beat = member.beat();
        int from = 0;
        for (; leases.size() - from > CounterWrites.LEASES_AT_ONCE; from += CounterWrites.LEASES_AT_ONCE) {
            List<String> some = leases.subList(from, from + CounterWrites.LEASES_AT_ONCE);
            List<Write> writes = giveBack(member.id(), some);
            writes.add(Write.update(
                    key,
                    List.of(Change.exclude(ItemKeys.LEASE_IDS, Set.copyOf(some)), Change.add(ItemKeys.BEAT, 1)),
                    Condition.equal(ItemKeys.BEAT, beat)));
            beat++;
            steps.add(takeBack("delete " + some.size() + " of its leases and count them off", writes));
        }
        List<String> rest = leases.subList(from, leases.size());
        List<Write> writes = giveBack(member.id(), rest);
        writes.add(Write.delete(key, Condition.equal(ItemKeys.BEAT, beat)));
        writes.add(ItemKeys.unlist(cluster, member.id()));
        String what = "delete member " + member.id();
        if (member.share() > 0) {
            writes.add(Write.update(
                    ItemKeys.count(cluster),
                    List.of(Change.add(ItemKeys.TOTAL, -member.share()), updated()),
                    Condition.atLeast(ItemKeys.TOTAL, member.share())));
            what += " and take its share of " + member.share() + " off the count";
        }
        if (!rest.isEmpty()) {
            what += " and " + rest.size() + " leases, and count them off";
        }
        steps.add(takeBack(what + ", if it has still not renewed", writes));
    }

    /** Returns the members whose heartbeat a step changes without deleting them. */
    List<String> membersWritten(ClusterRepairStep step) {
        String prefix = ItemKeys.member(cluster, "");
        return step.writes().stream()
                .filter(write ->
                        write.kind() == Write.Kind.UPDATE && write.key().startsWith(prefix))
                .map(write -> write.key().substring(prefix.length()))
                .toList();
    }

    private static ClusterRepairStep takeBack(String what, List<Write> writes) {
        return new ClusterRepairStep(ClusterRepairStep.Kind.TAKE_BACK, what, writes);
    }

    /** Deletes leases and lowers the counter as much, but never below 0. Fails as a whole if a lease is gone. */
    private List<Write> giveBack(String owner, List<String> leases) {
        List<Write> writes = new ArrayList<>();
        for (String id : leases) {
            writes.add(Write.delete(
                    ItemKeys.lease(settings, settings.endpoint(), id), Condition.equal(ItemKeys.OWNER, owner)));
        }
        long off = Math.min(leases.size(), activeLeft);
        if (off > 0) {
            activeLeft -= off;
            writes.add(Write.update(
                    ItemKeys.counter(settings, settings.endpoint()),
                    List.of(Change.add(ItemKeys.ACTIVE, -off), updated()),
                    Condition.atLeast(ItemKeys.ACTIVE, off)));
        }
        return writes;
    }

    private Change updated() {
        return Change.set(ItemKeys.UPDATED, inspection.storeMicros() / 1_000);
    }

    /** Takes back leases whose owner has not been a member for a whole lease time. */
    private void takeBackOfNobody(String owner, ClusterInspectionReport report, List<ClusterRepairStep> steps) {
        long stillNanos = inspection.heartbeats.stillNanos(LeaseInspection.OWNER + owner);
        if (stillNanos < inspection.heartbeats.leaseNanos()) {
            return;
        }
        List<String> leases =
                List.copyOf(Objects.requireNonNull(report.counter()).byOwner().getOrDefault(owner, Set.of()));
        for (int from = 0; from < leases.size(); from += CounterWrites.LEASES_AT_ONCE) {
            List<String> some = leases.subList(from, Math.min(leases.size(), from + CounterWrites.LEASES_AT_ONCE));
            List<Write> writes = giveBack(owner, some);
            writes.add(Write.check(ItemKeys.member(cluster, owner), Condition.absent(ItemKeys.BEAT)));
            steps.add(takeBack(
                    "delete " + some.size() + " leases of owner " + owner + " and count them off, if it has not joined",
                    writes));
        }
    }

    private ClusterRepairStep unlist(String id) {
        return new ClusterRepairStep(
                ClusterRepairStep.Kind.UNLIST,
                "take " + id + " out of the member list, if it still has no item",
                List.of(
                        ItemKeys.unlist(cluster, id),
                        Write.check(ItemKeys.member(cluster, id), Condition.absent(ItemKeys.BEAT))));
    }

    private ClusterRepairStep list(String id) {
        return new ClusterRepairStep(
                ClusterRepairStep.Kind.LIST,
                "put " + id + " into the member list, if it still has an item",
                List.of(
                        ItemKeys.list(cluster, id),
                        Write.check(ItemKeys.member(cluster, id), Condition.present(ItemKeys.BEAT))));
    }

    private ClusterRepairStep bucket(Bucket bucket) {
        return new ClusterRepairStep(
                ClusterRepairStep.Kind.RESET_BUCKET,
                "let permits be reserved from now on, not from " + Text.nanos(bucket.aheadMicros() * 1_000)
                        + " ahead, if nobody has reserved any meanwhile",
                List.of(Write.update(
                        ItemKeys.permits(cluster),
                        List.of(
                                Change.set(ItemKeys.NEXT, inspection.storeMicros()),
                                Change.add(ItemKeys.SEQUENCE, 1),
                                updated()),
                        equalOrNothing(ItemKeys.SEQUENCE, bucket.sequence()),
                        Condition.present(ItemKeys.NEXT))));
    }

    private ClusterRepairStep active(Counter counter, long setActive) {
        return new ClusterRepairStep(
                ClusterRepairStep.Kind.SET_ACTIVE,
                "set the counter from " + counter.active() + " to " + setActive + ", if it has not changed",
                List.of(Write.update(
                        ItemKeys.counter(settings, settings.endpoint()),
                        List.of(Change.set(ItemKeys.ACTIVE, setActive), updated()),
                        counter.written()
                                ? equalOrNothing(ItemKeys.ACTIVE, counter.active())
                                : Condition.absent(ItemKeys.ACTIVE))));
    }
}
