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
 * The leases that connections of this process hold, and the items that it has for them in the store, called papers here. A paper
 * belongs to one lease, or is free for a moment for the next, or is to be deleted. One that is to be deleted is never used again,
 * since a delete that was thought to be lost may still arrive. A lease may be without a paper for a while. Writes nothing. Guarded
 * by the desk.
 */
final class LeaseRecords {
    /** A free one waits so long for a successor. */
    private static final long BRIEFLY_NANOS = 1_000_000_000L;

    /** Together with one whose moment is over, those are deleted that have waited so long. */
    private static final long ALONG_NANOS = BRIEFLY_NANOS / 2;

    /**
     * An older one is not used again. The table may delete it two hours after it was made, and a connection lives for an hour: the
     * rest is for clocks that differ.
     */
    private static final long REUSE_NANOS = 50 * 60 * 1_000_000_000L;

    /** A lease that is out for longer gets another one, before the table deletes it. */
    private static final long REPLACE_NANOS = 110 * 60 * 1_000_000_000L;

    private final Map<String, LeaseRecord> all = new LinkedHashMap<>();

    /** The last that became free is the last here, and the first to be used again. */
    private final ArrayDeque<LeaseRecord> free = new ArrayDeque<>();

    private final Set<LeaseRecord> ending = new LinkedHashSet<>();
    private final Set<Held> held = new LinkedHashSet<>();

    /** Leases without a paper, the one that has lacked it longest first. */
    private final Set<Held> bare = new LinkedHashSet<>();

    /** How many papers there are, in use or not. */
    int size() {
        return all.size();
    }

    int free() {
        return free.size();
    }

    /** How many leases are out. */
    int held() {
        return held.size();
    }

    /** How many of them have no paper. */
    int bare() {
        return bare.size();
    }

    /** Gives a lease out, on paper if there is a free one, and else under this name. */
    Held acquire(String name) {
        LeaseRecord leaseRecord = free.pollLast();
        Held lease = new Held(leaseRecord == null ? name : leaseRecord.id, leaseRecord);
        held.add(lease);
        if (leaseRecord == null) {
            bare.add(lease);
        }
        return lease;
    }

    /** A lease came back. Answers whether it was out. */
    boolean comeBack(Held lease, long nowNanos) {
        if (!held.remove(lease)) {
            return false;
        }
        bare.remove(lease);
        LeaseRecord leaseRecord = lease.leaseRecord;
        if (leaseRecord != null && nowNanos - leaseRecord.madeNanos < REUSE_NANOS) {
            free(leaseRecord, nowNanos);
        } else if (leaseRecord != null) {
            ending.add(leaseRecord);
        }
        return true;
    }

    /** Has papers ended that are too old, so that those who have them get others. Answers in how many nanoseconds to look again. */
    long replaceOld(long nowNanos) {
        long next = REPLACE_NANOS;
        for (Held lease : held) {
            LeaseRecord leaseRecord = lease.leaseRecord;
            long left = leaseRecord == null ? REPLACE_NANOS : leaseRecord.madeNanos + REPLACE_NANOS - nowNanos;
            if (leaseRecord != null && left <= 0) {
                lease.leaseRecord = null;
                bare.add(lease);
                ending.add(leaseRecord);
            } else {
                next = Math.min(next, left);
            }
        }
        return next;
    }

    private void free(LeaseRecord leaseRecord, long nowNanos) {
        if (bare.isEmpty()) {
            leaseRecord.freeSinceNanos = nowNanos;
            free.addLast(leaseRecord);
        } else {
            Held first = bare.iterator().next();
            bare.remove(first);
            first.leaseRecord = leaseRecord;
        }
    }

    /** These papers were made. Leases that have none get them first. */
    void add(Collection<LeaseRecord> made, long nowNanos) {
        for (LeaseRecord leaseRecord : made) {
            all.put(leaseRecord.id, leaseRecord);
            free(leaseRecord, nowNanos);
        }
    }

    /** In how many nanoseconds something is to be deleted; 0 or less if it is now, the greatest number if nothing is. */
    long dueInNanos(long nowNanos) {
        if (!ending.isEmpty()) {
            return 0;
        }
        LeaseRecord first = free.peekFirst();
        return first == null ? Long.MAX_VALUE : first.freeSinceNanos + BRIEFLY_NANOS - nowNanos;
    }

    /** Those that are to be deleted next. None of them is used again. */
    List<String> end(int most, long nowNanos) {
        LeaseRecord first;
        while (ending.size() < most
                && (first = free.peekFirst()) != null
                && nowNanos - first.freeSinceNanos >= ALONG_NANOS) {
            ending.add(free.removeFirst());
        }
        return ending.stream().limit(most).map(LeaseRecord::id).toList();
    }

    /** Any of them, whether in use or not. */
    List<String> any(int most) {
        return all.keySet().stream().limit(most).toList();
    }

    /** These are deleted. */
    void remove(Collection<String> ids) {
        ids.forEach(all::remove);
        free.removeIf(leaseRecord -> !all.containsKey(leaseRecord.id));
        ending.removeIf(leaseRecord -> !all.containsKey(leaseRecord.id));
        for (Held lease : held) {
            if (lease.leaseRecord != null && !all.containsKey(lease.leaseRecord.id)) {
                lease.leaseRecord = null;
                bare.add(lease);
            }
        }
    }

    /**
     * These are there, and no others.
     *
     * @param asked those that may have been made by a write whose answer was lost
     */
    void settle(Set<String> ids, Collection<LeaseRecord> asked, long nowNanos) {
        List<String> gone = new ArrayList<>(all.keySet());
        gone.removeAll(ids);
        remove(gone);
        add(asked.stream().filter(it -> ids.contains(it.id)).toList(), nowNanos);
        for (String id : new TreeSet<>(ids)) {
            if (!all.containsKey(id)) {
                // From a write that was given up and came late.
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

    /** One lease, as a connection has it. It keeps its name, though its paper may be another one later. */
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
