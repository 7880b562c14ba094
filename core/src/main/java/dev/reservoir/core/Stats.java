package dev.reservoir.core;

import java.util.Map;

/**
 * A reservoir at one instant. The numbers add up: {@code ready + inUse + validating == open}.
 *
 * @param targets what it is asked to hold
 * @param ready connections that can be lent
 * @param inUse connections on loan, temporary ones not counted
 * @param validating connections that are being proven alive
 * @param overflow temporary connections beyond the maximum
 * @param opening connects under way, including those that wait for a lease or a permit
 * @param waitingForLease those of {@code opening} that wait for a lease
 * @param waitingForPermit those of {@code opening} that wait for a permit
 * @param closing connections that were discarded and are not closed yet
 * @param waiting checkouts in the queue
 * @param paused whether it lends nothing and opens nothing, by request
 * @param checkouts how many checkouts got a connection
 * @param empties how many checkouts found none ready
 * @param timeouts how many checkouts ended without a connection
 * @param opened how many connections were opened
 * @param closed how many connections were closed
 * @param discards how many were discarded, by reason
 * @param openFailures how many connects failed, by reason
 * @param leaseReleaseFailures how many leases could not be given back
 * @param checkoutTime how long checkouts took; of those that found a connection ready, every 64th use of a
 *     connection is timed
 * @param waitTime how long checkouts spent in the queue
 * @param useTime how long loans lasted; every sixteenth loan of a connection is timed
 * @param openTime how long connects took, permits and leases not counted
 */
public record Stats(
        Targets targets,
        int ready,
        int inUse,
        int validating,
        int overflow,
        int opening,
        int waitingForLease,
        int waitingForPermit,
        int closing,
        int waiting,
        boolean paused,
        long checkouts,
        long empties,
        long timeouts,
        long opened,
        long closed,
        Map<DiscardReason, Long> discards,
        Map<OpenFailureReason, Long> openFailures,
        long leaseReleaseFailures,
        Durations checkoutTime,
        Durations waitTime,
        Durations useTime,
        Durations openTime) {

    /** All connections within the maximum and the successors' allowance. */
    public int open() {
        return ready + inUse + validating;
    }
}
