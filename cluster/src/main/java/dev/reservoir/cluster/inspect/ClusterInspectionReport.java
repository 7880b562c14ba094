package dev.reservoir.cluster.inspect;

import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The counts, leases and members of one cluster as they were read, and the findings about them. Parts that were not
 * read are null.
 *
 * @param endpoint the cluster
 * @param storeMillis the store's clock at the last answer, in milliseconds since 1970; 0 if the store never answered
 * @param members the members by id, including those that are only in the member list
 * @param shares the cluster's count, if leases are counted by share
 * @param counter the cluster's counter and its leases, if they are counted as Go processes do
 * @param bucket the bucket of permits, if they are reserved ahead
 * @param windows the permits of the last seconds, if they are counted as Go processes do
 * @param watchedNanos how long the members' heartbeats were observed
 * @param findings what is wrong, and what is worth knowing
 */
public record ClusterInspectionReport(
        String endpoint,
        long storeMillis,
        List<Member> members,
        @Nullable Shares shares,
        @Nullable Counter counter,
        @Nullable Bucket bucket,
        @Nullable Windows windows,
        long watchedNanos,
        List<Finding> findings) {

    public ClusterInspectionReport {
        members = List.copyOf(members);
        findings = List.copyOf(findings);
    }

    /** Whether nothing is wrong. */
    public boolean isRight() {
        return findings.stream().noneMatch(Finding::wrong);
    }

    /**
     * One process that shares the budget. Texts are empty and numbers 0 if its item does not say.
     *
     * @param listed whether the id is in the member list
     * @param written whether the member has an item of its own
     * @param endpoint the endpoint in the keys of its leases
     * @param share how many connections the member may hold
     * @param hasShare whether the item has a share at all
     * @param used how many connections the member held or was about to open when it last wrote
     * @param leaseIds the leases that the member's item lists, in the mode in which each lease has an item
     * @param joinedMillis when the member joined, in milliseconds since 1970 on the store's clock
     * @param renewedMillis when the member last wrote, in the same unit
     * @param beat the heartbeat: how often the member has written
     * @param beatsSeen how often the member wrote while it was observed
     * @param stillNanos how long the member was observed without a write
     */
    public record Member(
            String id,
            boolean listed,
            boolean written,
            String service,
            String host,
            String endpoint,
            long share,
            boolean hasShare,
            long used,
            Set<String> leaseIds,
            long joinedMillis,
            long renewedMillis,
            long beat,
            long beatsSeen,
            long stillNanos) {
        public Member {
            leaseIds = Set.copyOf(leaseIds);
        }
    }

    /**
     * The cluster's count of leases by share.
     *
     * @param total the count in the item
     * @param sum what the count should be: the sum of the members' shares and of the unclaimed leases in the shards
     * @param limit how many connections the cluster may hold; 0 if the item does not say
     * @param hungryUntilSeconds until when some process below its fair share wants leases, in seconds since 1970
     */
    public record Shares(boolean written, long total, long sum, long limit, long hungryUntilSeconds) {}

    /**
     * The counter of open connections, and the leases.
     *
     * @param active the value of the counter
     * @param limit how many connections the cluster may hold, as configured for this inspection
     * @param leases the leases that have an item, both of this project and of Go processes
     */
    public record Counter(boolean written, long active, long limit, List<Lease> leases) {
        public Counter {
            leases = List.copyOf(leases);
        }

        /** Returns the number of leases that have an owner. They belong to this project. */
        public long ours() {
            return leases.stream().filter(lease -> lease.owner() != null).count();
        }

        /** Returns the number of leases without an owner. They belong to Go processes. */
        public long others() {
            return leases.size() - ours();
        }

        /** Returns the ids of this project's leases, by owner. */
        public TreeMap<String, Set<String>> byOwner() {
            TreeMap<String, Set<String>> ids = new TreeMap<>();
            for (Lease lease : leases) {
                if (lease.owner() != null) {
                    ids.computeIfAbsent(lease.owner(), owner -> new TreeSet<>()).add(lease.id());
                }
            }
            return ids;
        }

        /** Returns the number of leases of Go processes, by service. */
        public TreeMap<String, Integer> othersByService() {
            TreeMap<String, Integer> counts = new TreeMap<>();
            leases.stream()
                    .filter(lease -> lease.owner() == null)
                    .forEach(lease -> counts.merge(lease.service(), 1, Integer::sum));
            return counts;
        }
    }

    /** One open connection that has an item. The owner is the member that holds it; null if a Go process holds it. */
    public record Lease(String id, @Nullable String owner, String service) {}

    /**
     * The bucket of permits.
     *
     * @param written whether the item exists; if not, the bucket is full
     * @param free how many permits are available at once
     * @param burst how many permits the bucket holds at most
     * @param ratePerSecond how many permits the bucket gains per second
     * @param aheadMicros how far ahead slots are reserved; 0 or less if permits are free
     * @param sequence how often the bucket was written
     * @param updatedMillis when the bucket was last written, in milliseconds since 1970; 0 if the item does not say
     */
    public record Bucket(
            boolean written,
            long free,
            long burst,
            double ratePerSecond,
            long aheadMicros,
            long sequence,
            long updatedMillis) {}

    /** Permits counted by second, oldest first, and the limit of one. A second without an item has the count 0. */
    public record Windows(long limit, List<Second> seconds) {
        public Windows {
            seconds = List.copyOf(seconds);
        }
    }

    /** The permits of one second. */
    public record Second(long epochSecond, long count) {}

    /**
     * A finding about the cluster's budget.
     *
     * @param kind the kind of finding
     * @param subject the object of the finding: a member's id, or numbers that distinguish it from other findings; may
     *     be empty
     * @param wrong whether the budget is inconsistent; otherwise the finding is only worth knowing
     * @param text describes the finding in one line
     */
    public record Finding(Kind kind, String subject, boolean wrong, String text) {
        Finding asNote(String why) {
            return new Finding(kind, subject, false, text + why);
        }
    }

    /** The kinds of finding. */
    public enum Kind {
        /** The count is not the sum of the shares and the unclaimed leases. */
        COUNT_DIFFERS,
        /** An id in the member list has no item. */
        MEMBER_WITHOUT_ITEM,
        /** A member has an item but is not in the member list. */
        MEMBER_NOT_LISTED,
        /** By its own timestamp, a member has not written for longer than a lease time. */
        MEMBER_SILENT,
        /** A member was observed for a whole lease time and did not write. */
        MEMBER_DEAD,
        /** A member holds more than its share. */
        MEMBER_OVER_SHARE,
        /** The cluster holds more than its limit. */
        OVER_LIMIT,
        /** The cluster's count has another limit than this inspection was configured with. */
        LIMIT_DIFFERS,
        /** The counter is less than the number of this project's leases. */
        COUNTER_TOO_LOW,
        /** The counter is not the number of leases. */
        COUNTER_DIFFERS,
        /** A member counts its leases under another spelling of the endpoint. */
        OTHER_ENDPOINT,
        /** The owner of some leases is not a member. */
        LEASES_OF_NOBODY,
        /** Permits are reserved so far ahead that no process gets one. */
        BUCKET_FAR_AHEAD,
        /** A second has more permits than the limit. */
        WINDOW_OVER_LIMIT,
        /** Items of the other mode are in use as well. */
        OTHER_MODE,
        /** This machine's clock is off. */
        CLOCK_OFF
    }
}
