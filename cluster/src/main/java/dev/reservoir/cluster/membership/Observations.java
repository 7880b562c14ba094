package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Item;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The heartbeats of other members, as this process has read them, and what follows: who is overdue and who is dead.
 * Only the time counts in which this process was sure of its own membership. Never reads from the store. Used only on
 * the budget's serial executor.
 */
final class Observations extends BudgetPart {
    /** A member is overdue after this part of a lease time without a heartbeat. Members renew more often than that. */
    private static final double OVERDUE = 0.42;

    /** After this part of a lease time without a read, what was seen is forgotten: perhaps nobody could write. */
    private static final double BLIND = 0.3;

    /** A member is dead after this part of a lease time without a heartbeat. The rest is for noticing it. */
    private static final double DEAD = 0.67;

    /**
     * Before it declares a member dead, this process must itself have written at short intervals for this part of a
     * lease time. A living member that is late tries several times in that time. An outage that kept the member from
     * writing is over for both or for neither.
     */
    private static final double STEADY = 0.22;

    private final Membership membership;
    private final Map<String, Seen> seen = new HashMap<>();

    Observations(BudgetContext context, Membership membership) {
        super(context);
        this.membership = membership;
    }

    /** Notes the item of a member that was just read; null if the member has none. */
    void note(String id, @Nullable Item item) {
        long beat = item == null ? -1 : item.number(ItemKeys.BEAT, 0);
        double lease = ItemKeys.leaseNanos(item, settings.leaseTime());
        Seen before = seen.get(id);
        boolean isGone = item == null && before != null && before.beat >= 0;
        // A read may return an old item, so a heartbeat that goes back is no sign of life.
        if (before == null || before.beat < beat || isGone) {
            long millis = clock.millis();
            boolean late =
                    item == null || (millis - item.number(ItemKeys.RENEWED, Long.MAX_VALUE)) * 1e6 > OVERDUE * lease;
            seen.put(id, new Seen(beat, time.nanos(), time.nanos(), item, lease, late));
        } else if (before.beat == beat) {
            seen.put(id, new Seen(beat, before.sinceNanos, time.nanos(), item, lease, before.late));
        }
    }

    /** Returns the item as last read; null if the member has none or was not read. */
    @Nullable
    Item item(String id) {
        Seen last = seen.get(id);
        return last == null ? null : last.item;
    }

    /** Whether the member is probably dead. This only decides which members to read. */
    boolean isLate(String id) {
        Seen last = seen.get(id);
        return last != null && (last.late || silentNanos(last) > OVERDUE * last.leaseNanos);
    }

    boolean isDead(String id) {
        Seen last = seen.get(id);
        return last != null
                && silentNanos(last) >= DEAD * last.leaseNanos
                && membership.steadyNanos() >= STEADY * last.leaseNanos;
    }

    /** Returns the nanoseconds until the member is overdue; infinity if it was not read. */
    double untilOverdueNanos(String id) {
        Seen last = seen.get(id);
        return last == null ? Double.POSITIVE_INFINITY : OVERDUE * last.leaseNanos - silentNanos(last);
    }

    /** Returns how long a member has written no heartbeat while this process itself was sure of its membership. */
    private long silentNanos(Seen last) {
        return time.nanos() - Math.max(last.sinceNanos, membership.sureSinceNanos());
    }

    /** Returns how long the heartbeat of the member has been the same, for the log; 0 if it was not read. */
    long unchangedNanos(String id) {
        Seen last = seen.get(id);
        return last == null ? 0 : time.nanos() - last.sinceNanos;
    }

    /** Notes that this process itself has changed the heartbeat of a silent member. The member stays silent. */
    void changedBeat(String id, long beat) {
        seen.computeIfPresent(
                id,
                (same, last) -> new Seen(beat, last.sinceNanos, last.readNanos, last.item, last.leaseNanos, last.late));
    }

    /** Whether so much time has passed since then that what was seen before says nothing any more. */
    boolean isOutdated(long readNanos) {
        return time.nanos() - readNanos > BLIND * settings.leaseTime().toNanos();
    }

    void forget(String id) {
        seen.remove(id);
    }

    void forgetAll() {
        seen.clear();
    }

    /** Forgets members that have not been read for long. */
    void forgetOutdated() {
        seen.values().removeIf(last -> isOutdated(last.readNanos));
    }

    /**
     * The observations of one member.
     *
     * @param beat the member's heartbeat; -1 if it has no item
     * @param sinceNanos when this heartbeat was first seen
     * @param readNanos when it was last seen
     * @param item the item as last read
     * @param leaseNanos the lease time that applies to the member
     * @param late whether, by the member's own timestamp, the heartbeat was already overdue when it was first seen
     */
    private record Seen(
            long beat,
            long sinceNanos,
            long readNanos,
            @Nullable Item item,
            double leaseNanos,
            boolean late) {}
}
