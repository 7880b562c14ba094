package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Bucket;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Counter;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Finding;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Kind;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Member;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Second;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Shares;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Windows;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Derives findings from what was read: what is wrong, and what is worth knowing. Never reads the store. */
record InspectionFindings(ClusterSettings settings, StoreClock clock, HeartbeatInspection heartbeats) {
    private static final long MILLI = 1_000_000L;
    private static final long FAR_AHEAD_MICROS = 60_000_000L;

    /** Returns the bound beyond which slots are reserved further ahead than any process waits. */
    static long farAheadMicros(ClusterSettings settings) {
        // In a slow bucket, a process that needs many slots reserves further ahead.
        long twoBursts = (long) (2e6 * settings.burst() / settings.ratePerSecond());
        return Math.max(
                Math.max(FAR_AHEAD_MICROS, twoBursts), settings.maxWait().toNanos() / 1_000);
    }

    List<Finding> ofPermits(@Nullable Bucket bucket, @Nullable Windows windows, boolean isOtherModeUsed) {
        List<Finding> found = new ArrayList<>();
        if (bucket != null && bucket.aheadMicros() > farAheadMicros(settings)) {
            found.add(wrong(
                    Kind.BUCKET_FAR_AHEAD,
                    "",
                    "permits are reserved " + Text.nanos(bucket.aheadMicros() * 1_000)
                            + " ahead, so that nobody gets one: a process reserved them by a clock that was wrong"));
        }
        if (windows != null) {
            for (Second second : windows.seconds()) {
                if (second.count() > windows.limit()) {
                    found.add(note(
                            Kind.WINDOW_OVER_LIMIT,
                            Long.toString(second.epochSecond()),
                            "second " + second.epochSecond() + " has " + second.count() + " permits, the limit is "
                                    + windows.limit() + ": a process counts with a higher limit"));
                }
            }
        }
        if (isOtherModeUsed) {
            found.add(note(
                    Kind.OTHER_MODE,
                    "permits",
                    "permits are counted in mode " + (bucket == null ? "reservation" : "window")
                            + ", too: processes of different modes together open more than the rate"));
        }
        return found;
    }

    List<Finding> ofLeases(LeaseInspection.Reading reading) {
        List<Finding> found = new ArrayList<>();
        if (reading.shares() != null) {
            ofShares(reading.shares(), found);
        }
        Counter counter = reading.counter();
        Map<String, Set<String>> leases = counter == null ? Map.of() : counter.byOwner();
        for (Member member : reading.members()) {
            if (counter != null && isCountedElsewhere(member, settings)) {
                String text = "counts its leases for the endpoint " + member.endpoint()
                        + ", which is spelt differently: it has a counter of its own";
                found.add(of(false, Kind.OTHER_ENDPOINT, member, text));
            }
            long holds = counter == null
                    ? member.share()
                    : leases.getOrDefault(member.id(), Set.of()).size();
            ofMember(member, holds, found);
        }
        if (counter != null) {
            ofCounter(counter, reading, found);
        }
        if (reading.isOtherModeUsed()) {
            found.add(note(
                    Kind.OTHER_MODE,
                    "leases",
                    "leases are counted in mode " + (reading.counter() == null ? "counter" : "share")
                            + ", too: processes of different modes together hold more than the limit"));
        }
        return found;
    }

    /** Whether this member's leases have other keys than those that were read. */
    static boolean isCountedElsewhere(Member member, ClusterSettings settings) {
        return !member.endpoint().isEmpty() && !member.endpoint().equals(settings.endpoint());
    }

    private void ofShares(Shares shares, List<Finding> found) {
        long more = shares.total() - shares.sum();
        if (more != 0) {
            found.add(wrong(
                    Kind.COUNT_DIFFERS,
                    "by " + more,
                    "the count is " + shares.total() + ", the shares are " + shares.sum()
                            + " together: "
                            + (more > 0
                                    ? more + " that could be given out are not"
                                    : -more + " more than the limit could be given out")));
        }
        long limit = shares.limit() > 0 ? shares.limit() : settings.limit();
        ofLimit(shares.total(), limit, found);
        if (limit != settings.limit()) {
            found.add(note(
                    Kind.LIMIT_DIFFERS,
                    "",
                    "the fleet's limit is " + limit + ", this command was told " + settings.limit()));
        }
    }

    private static void ofLimit(long total, long limit, List<Finding> found) {
        if (total > limit) {
            found.add(note(
                    Kind.OVER_LIMIT,
                    "",
                    "the cluster holds " + total + ", " + (total - limit) + " more than its limit of " + limit
                            + ": it was lowered, or connections were opened while the store was away"));
        }
    }

    private void ofMember(Member member, long holds, List<Finding> found) {
        if (!member.written()) {
            String text = "has no item: it counts nothing, but the other processes keep reading it";
            found.add(of(true, Kind.MEMBER_WITHOUT_ITEM, member, text));
            return;
        }
        if (!member.listed()) {
            String text = "is not in the member list: nobody takes back what it holds when it dies";
            found.add(of(true, Kind.MEMBER_NOT_LISTED, member, text));
        }
        long leaseNanos = heartbeats.leaseNanos();
        long silentMillis = member.renewedMillis() == 0 ? 0 : clock.millis() - member.renewedMillis();
        if (member.stillNanos() >= leaseNanos) {
            String text = "was watched for " + Text.nanos(member.stillNanos()) + " and did not renew: it is dead"
                    + (holds > 0 ? " and holds " + holds : "");
            found.add(of(true, Kind.MEMBER_DEAD, member, text));
        } else if (silentMillis * MILLI > leaseNanos && member.beatsSeen() == 0) {
            String text = "has not renewed for " + Text.nanos(silentMillis * MILLI) + " (lease time "
                    + Text.nanos(leaseNanos) + "): if it is dead, the others take back what it holds";
            found.add(of(false, Kind.MEMBER_SILENT, member, text));
        }
        if (member.hasShare() && member.used() > member.share()) {
            String text = "holds " + member.used() + ", more than its share of " + member.share()
                    + ": it was away from the store, and closes the excess or is given it";
            found.add(of(false, Kind.MEMBER_OVER_SHARE, member, text));
        }
    }

    private void ofCounter(Counter counter, LeaseInspection.Reading reading, List<Finding> found) {
        Set<String> present = new HashSet<>();
        long named = 0;
        for (Member member : reading.members()) {
            if (member.written()) {
                present.add(member.id());
                named += isCountedElsewhere(member, settings)
                        ? 0
                        : member.leaseIds().size();
            }
        }
        counter.byOwner().forEach((owner, ids) -> {
            if (!present.contains(owner)) {
                found.add(wrong(
                        Kind.LEASES_OF_NOBODY,
                        owner,
                        "owner " + owner + " of " + ids.size() + " leases is no member: it is dead, or joins again"));
            }
        });
        // The leases that members list were read at the same moment as the counter. The items of the leases were not.
        if (counter.active() < named) {
            found.add(wrong(
                    Kind.COUNTER_TOO_LOW,
                    "",
                    "the counter is " + counter.active() + ", our leases alone are " + named
                            + ": something was given back twice, and more than the limit could be held"));
        } else if (isFarFrom(counter, reading.activeBefore())) {
            found.add(difference(counter));
        }
        ofLimit(counter.active(), counter.limit(), found);
    }

    /** Whether the counter is too far from the number of leases. While the counter moves, that number is not exact. */
    private static boolean isFarFrom(Counter counter, long activeBefore) {
        long far = Math.abs(counter.active() - counter.leases().size());
        return far > (activeBefore == counter.active() ? 0 : Math.max(20, counter.active() / 20));
    }

    private static Finding difference(Counter counter) {
        long all = counter.leases().size();
        String why = counter.active() > all
                ? ": the other " + (counter.active() - all) + " are connections of Go processes whose items the table"
                        + " has deleted by TTL, or were leaked by Go processes that died"
                : " (" + counter.ours() + " ours, " + counter.others() + " of Go processes): a Go process gave one back"
                        + " twice, or the counter was set";
        return note(Kind.COUNTER_DIFFERS, "", "the counter is " + counter.active() + ", the leases are " + all + why);
    }

    List<Finding> ofClock() {
        long off = clock.offNanos();
        if (Math.abs(off) <= StoreClock.FAR_OFF_NANOS) {
            return List.of();
        }
        return List.of(note(
                Kind.CLOCK_OFF,
                "",
                "this machine's clock is " + Text.nanos(Math.abs(off)) + (off > 0 ? " ahead of" : " behind")
                        + " the store's, which is used instead"));
    }

    private static Finding of(boolean wrong, Kind kind, Member member, String text) {
        return new Finding(kind, member.id(), wrong, "member " + member.id() + " " + text);
    }

    private static Finding wrong(Kind kind, String subject, String text) {
        return new Finding(kind, subject, true, text);
    }

    private static Finding note(Kind kind, String subject, String text) {
        return new Finding(kind, subject, false, text);
    }
}
