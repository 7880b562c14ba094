package dev.reservoir.core;

import java.util.Map;

/**
 * The state of a reservoir at one instant, with totals since its start and with histories.
 *
 * @param counts the number of connections in each state; the methods below are short forms
 * @param checkouts how many checkouts got a connection
 * @param empties how many checkouts found no ready connection
 * @param timeouts how many checkouts ended without a connection
 * @param opened how many connections were opened
 * @param closed how many connections were closed
 * @param discards how many connections were discarded, by reason
 * @param openFailures how many connects failed, by reason
 * @param connectsFail whether the last connect failed and the reservoir has not recovered since
 * @param leaseReleaseFailures how many leases could not be released
 * @param checkoutTime how long checkouts took; of those that found a ready connection, only every 64th use of a
 *     connection is timed
 * @param waitTime how long checkouts spent in the wait queue
 * @param useTime how long connections were in use; only every sixteenth use of a connection is timed
 * @param openTime how long connects took, without the waits for permits and leases
 */
public record Stats(
        Counts counts,
        long checkouts,
        long empties,
        long timeouts,
        long opened,
        long closed,
        Map<DiscardReason, Long> discards,
        Map<OpenFailureReason, Long> openFailures,
        boolean connectsFail,
        long leaseReleaseFailures,
        Durations checkoutTime,
        Durations waitTime,
        Durations useTime,
        Durations openTime) {

    /** The same with other times of checkouts. */
    public Stats withCheckoutTime(Durations value) {
        return new Stats(
                counts,
                checkouts,
                empties,
                timeouts,
                opened,
                closed,
                discards,
                openFailures,
                connectsFail,
                leaseReleaseFailures,
                value,
                waitTime,
                useTime,
                openTime);
    }

    public Targets targets() {
        return counts.targets();
    }

    public int open() {
        return counts.size();
    }

    public int ready() {
        return counts.ready();
    }

    public int inUse() {
        return counts.inUse();
    }

    public int validating() {
        return counts.validating();
    }

    public int overflow() {
        return counts.overflow();
    }

    public int opening() {
        return counts.opening();
    }

    public int waitingForLease() {
        return counts.waitingForLease();
    }

    public int waitingForPermit() {
        return counts.waitingForPermit();
    }

    public int closing() {
        return counts.closing();
    }

    public int waiting() {
        return counts.waiting();
    }

    public boolean paused() {
        return counts.paused();
    }
}
