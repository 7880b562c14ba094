package dev.reservoir.cluster.inspect;

import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The books of one cluster as they were read, and what is to be said of them. What was not looked at is null.
 *
 * @param endpoint the cluster
 * @param storeMillis the store's clock when it was last heard, in milliseconds since 1970; 0 if it was never heard
 * @param members the processes that take part, by id; those that are only in the set, too
 * @param shares the cluster's count, where leases are counted by share
 * @param counter the cluster's counter and its leases, where they are counted as Go processes do
 * @param bucket the bucket of permits, where they are reserved ahead
 * @param windows the last seconds' permits, where they are counted as Go processes do
 * @param watchedNanos for how long the members' beats were watched
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
     * One process that takes part.
     *
     * @param id by what it is known
     * @param listed whether it is in the set of members
     * @param written whether it has an item of its own; if not, all else is empty
     * @param service the service's name; empty if it did not say
     * @param host its machine; empty if it did not say
     * @param endpoint the endpoint as the keys of its leases have it; empty if it did not say
     * @param share how many connections it may hold
     * @param hasShare whether its item says a share at all
     * @param used how many it held or was about to open when it last wrote
     * @param leaseIds the leases it says it holds, where each has an item
     * @param joinedMillis when it joined, in milliseconds since 1970 on the store's clock; 0 if it did not say
     * @param renewedMillis when it last wrote, likewise
     * @param beat how often it wrote
     * @param beatsSeen how often it wrote while it was watched
     * @param stillNanos for how long it was seen not to write
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
     * The cluster's count.
     *
     * @param written whether there is one
     * @param total what it says
     * @param sum what it should say: the sum of the members' shares and of what lies in their shards for those who want some
     * @param limit how many connections the cluster may hold; 0 if the item does not say
     * @param hungryUntilSeconds until when somebody below its fair share wants leases, in seconds since 1970
     */
    public record Shares(boolean written, long total, long sum, long limit, long hungryUntilSeconds) {}

    /**
     * The counter of open connections, and their leases.
     *
     * @param written whether there is one
     * @param active what it says
     * @param limit how many connections the cluster may hold, as this inspection was told
     * @param leases the leases that have an item, ours and those of Go processes
     */
    public record Counter(boolean written, long active, long limit, List<Lease> leases) {
        public Counter {
            leases = List.copyOf(leases);
        }

        /** How many leases have an owner: those are ours. */
        public long ours() {
            return leases.stream().filter(lease -> lease.owner() != null).count();
        }

        /** How many leases have none: those are of Go processes. */
        public long others() {
            return leases.size() - ours();
        }

        /** Our leases' ids by owner. */
        public TreeMap<String, Set<String>> byOwner() {
            TreeMap<String, Set<String>> ids = new TreeMap<>();
            for (Lease lease : leases) {
                if (lease.owner() != null) {
                    ids.computeIfAbsent(lease.owner(), owner -> new TreeSet<>()).add(lease.id());
                }
            }
            return ids;
        }

        /** How many leases of Go processes each service has. */
        public TreeMap<String, Integer> othersByService() {
            TreeMap<String, Integer> counts = new TreeMap<>();
            for (Lease lease : leases) {
                if (lease.owner() == null) {
                    counts.merge(lease.service(), 1, Integer::sum);
                }
            }
            return counts;
        }
    }

    /**
     * One open connection that has an item.
     *
     * @param owner the member that holds it, if it is ours
     */
    public record Lease(String id, @Nullable String owner, String service, long createdMillis) {}

    /**
     * The bucket of permits.
     *
     * @param written whether there is one; if not, it is full
     * @param free how many permits are to be had at once
     * @param burst how many there can be at most
     * @param ratePerSecond how many come a second
     * @param aheadMicros how far ahead slots are reserved; 0 or less if there are free ones
     * @param sequence how often it was written
     * @param updatedMillis when it was last written, in milliseconds since 1970; 0 if it does not say
     */
    public record Bucket(
            boolean written,
            long free,
            long burst,
            double ratePerSecond,
            long aheadMicros,
            long sequence,
            long updatedMillis) {}

    /**
     * Permits by second.
     *
     * @param limit how many a second may have
     * @param seconds the last ones, oldest first; those of which nothing is written have a count of 0
     */
    public record Windows(long limit, List<Second> seconds) {
        public Windows {
            seconds = List.copyOf(seconds);
        }
    }

    /** One second's permits. */
    public record Second(long epochSecond, long count) {}

    /**
     * Something to be said of the books.
     *
     * @param kind what it is
     * @param subject what or whom it concerns: a member's id, or the numbers that tell it from others; may be empty
     * @param wrong whether the books are wrong; otherwise it is only worth knowing
     * @param text says it in one line
     */
    public record Finding(Kind kind, String subject, boolean wrong, String text) {
        Finding asNote(String why) {
            return new Finding(kind, subject, false, text + why);
        }
    }

    /** What can be found. */
    public enum Kind {
        /** The count is not the sum of the shares. */
        COUNT_DIFFERS,
        /** A member of the set has no item. */
        MEMBER_WITHOUT_ITEM,
        /** An item's member is not in the set. */
        MEMBER_NOT_LISTED,
        /** A member has not written for longer than a lease time, as its own item says. */
        MEMBER_SILENT,
        /** A member was watched for a whole lease time and did not write. */
        MEMBER_DEAD,
        /** A member holds more than its share. */
        MEMBER_OVER_SHARE,
        /** The cluster holds more than its limit. */
        OVER_LIMIT,
        /** The books have another limit than this inspection was told. */
        LIMIT_DIFFERS,
        /** The counter is less than our own leases. */
        COUNTER_TOO_LOW,
        /** The counter is not the number of leases. */
        COUNTER_DIFFERS,
        /** A member whose leases are counted under another spelling of the endpoint. */
        OTHER_ENDPOINT,
        /** Leases whose owner is no member. */
        LEASES_OF_NOBODY,
        /** Permits are reserved so far ahead that nobody gets one. */
        BUCKET_FAR_AHEAD,
        /** A second had more permits than the limit. */
        WINDOW_OVER_LIMIT,
        /** Items of the other mode are in use, too. */
        OTHER_MODE,
        /** This machine's clock is off. */
        CLOCK_OFF
    }
}
