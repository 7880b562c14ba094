package dev.reservoir.cluster.leases;

import dev.reservoir.core.spi.Leases.Lease;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The leases that connections of this process hold, and the lease records: the items for them in the store. A lease
 * record belongs to one lease, or is free for a moment for the next lease, or is to be deleted. A record that is to be
 * deleted is never used again, because a delete that seemed lost may still arrive. A lease may be without a record for
 * a while. Never writes to the store. Used only on the budget's serial executor.
 */
final class LeaseRecords {
    /** How long a free record waits for a successor to use it. */
    private static final long BRIEFLY_NANOS = 1_000_000_000L;

    /** When a record is deleted after its wait, free records that have waited this long are deleted along with it. */
    private static final long ALONG_NANOS = BRIEFLY_NANOS / 2;

    /**
     * A record older than this is not used again. The table may delete it two hours after it was made, and a connection
     * lives for an hour. The rest allows for clocks that differ.
     */
    private static final long REUSE_NANOS = 50 * 60 * 1_000_000_000L;

    /** A lease whose record is older than this gets a new one, before the table deletes the old one. */
    private static final long REPLACE_NANOS = 110 * 60 * 1_000_000_000L;

    private final Map<String, LeaseRecord> all = new LinkedHashMap<>();

    /** Free records. The one that became free last is at the end and is used first. */
    private final ArrayDeque<LeaseRecord> free = new ArrayDeque<>();

    private final Set<LeaseRecord> ending = new LinkedHashSet<>();
    private final Set<Held> held = new LinkedHashSet<>();

    /** Leases without a record. The one that has lacked a record longest comes first. */
    private final Set<Held> withoutRecord = new LinkedHashSet<>();

    /** Returns the number of records, in use or not. */
    int size() {
        return all.size();
    }

    int free() {
        return free.size();
    }

    /** Returns the number of leases that connections hold. */
    int held() {
        return held.size();
    }

    /** Returns how many of these leases have no record. */
    int withoutRecord() {
        return withoutRecord.size();
    }

    /** Issues a lease with a free record if there is one. Otherwise the lease has no record yet and gets this name. */
    Held acquire(String name) {
        LeaseRecord leaseRecord = free.pollLast();
        Held lease = new Held(leaseRecord == null ? name : leaseRecord.id, leaseRecord);
        held.add(lease);
        if (leaseRecord == null) {
            withoutRecord.add(lease);
        }
        return lease;
    }

    /** Takes a lease back. Returns whether it was out. */
    boolean comeBack(Held lease, long nowNanos) {
        if (!held.remove(lease)) {
            return false;
        }
        withoutRecord.remove(lease);
        LeaseRecord leaseRecord = lease.leaseRecord;
        if (leaseRecord != null && nowNanos - leaseRecord.madeNanos < REUSE_NANOS) {
            free(leaseRecord, nowNanos);
        } else if (leaseRecord != null) {
            ending.add(leaseRecord);
        }
        return true;
    }

    /** Marks old records for deletion, so that leases get new ones. Returns the nanoseconds until the next check. */
    long replaceOld(long nowNanos) {
        long next = REPLACE_NANOS;
        for (Held lease : held) {
            LeaseRecord leaseRecord = lease.leaseRecord;
            long left = leaseRecord == null ? REPLACE_NANOS : leaseRecord.madeNanos + REPLACE_NANOS - nowNanos;
            if (leaseRecord != null && left <= 0) {
                lease.leaseRecord = null;
                withoutRecord.add(lease);
                ending.add(leaseRecord);
            } else {
                next = Math.min(next, left);
            }
        }
        return next;
    }

    private void free(LeaseRecord leaseRecord, long nowNanos) {
        if (withoutRecord.isEmpty()) {
            leaseRecord.freeSinceNanos = nowNanos;
            free.addLast(leaseRecord);
        } else {
            Held first = withoutRecord.iterator().next();
            withoutRecord.remove(first);
            first.leaseRecord = leaseRecord;
        }
    }

    /** Adds records that were created. Leases without a record get them first. */
    void add(Collection<LeaseRecord> made, long nowNanos) {
        for (LeaseRecord leaseRecord : made) {
            all.put(leaseRecord.id, leaseRecord);
            free(leaseRecord, nowNanos);
        }
    }

    /** Returns the nanoseconds until a record is to be deleted; {@link Long#MAX_VALUE} if there is none. */
    long dueInNanos(long nowNanos) {
        if (!ending.isEmpty()) {
            return 0;
        }
        LeaseRecord first = free.peekFirst();
        return first == null ? Long.MAX_VALUE : first.freeSinceNanos + BRIEFLY_NANOS - nowNanos;
    }

    /** Returns the ids of the records to delete next. None of them is used again. */
    List<String> end(int max, long nowNanos) {
        LeaseRecord first;
        while (ending.size() < max
                && (first = free.peekFirst()) != null
                && nowNanos - first.freeSinceNanos >= ALONG_NANOS) {
            ending.add(free.removeFirst());
        }
        return ending.stream().limit(max).map(LeaseRecord::id).toList();
    }

    /** Returns the ids of some records, whether in use or not. */
    List<String> any(int max) {
        return all.keySet().stream().limit(max).toList();
    }

    /** Removes records that were deleted from the store. */
    void remove(Collection<String> ids) {
        ids.forEach(all::remove);
        free.removeIf(leaseRecord -> !all.containsKey(leaseRecord.id));
        ending.removeIf(leaseRecord -> !all.containsKey(leaseRecord.id));
        for (Held lease : held) {
            if (lease.leaseRecord != null && !all.containsKey(lease.leaseRecord.id)) {
                lease.leaseRecord = null;
                withoutRecord.add(lease);
            }
        }
    }

    /**
     * Adjusts to the records that exist in the store.
     *
     * @param ids the ids of all records that exist
     * @param asked records that a write may have created whose answer was lost
     */
    void settle(Set<String> ids, Collection<LeaseRecord> asked, long nowNanos) {
        List<String> gone = new ArrayList<>(all.keySet());
        gone.removeAll(ids);
        remove(gone);
        add(asked.stream().filter(it -> ids.contains(it.id)).toList(), nowNanos);
        for (String id : new TreeSet<>(ids)) {
            if (!all.containsKey(id)) {
                // A write that was given up and arrived late created it.
                LeaseRecord late = new LeaseRecord(id, nowNanos);
                all.put(id, late);
                ending.add(late);
            }
        }
    }

    /** One item in the store. */
    static final class LeaseRecord {
        private final String id;
        private final long madeNanos;
        private long freeSinceNanos;

        LeaseRecord(String id, long madeNanos) {
            this.id = id;
            this.madeNanos = madeNanos;
        }

        String id() {
            return id;
        }
    }

    /** One lease, as a connection holds it. It keeps its name, although its record may change. */
    static final class Held implements Lease {
        private final String name;
        private @Nullable LeaseRecord leaseRecord;

        private Held(String name, @Nullable LeaseRecord leaseRecord) {
            this.name = name;
            this.leaseRecord = leaseRecord;
        }

        @Override
        public String id() {
            return name;
        }
    }
}
