package dev.reservoir.core;

import java.util.Map;

/**
 * The state of a reservoir at one instant. The numbers add up: {@code ready + inUse + validating == open}.
 *
 * @param targets how many connections the reservoir is asked to hold
 * @param ready connections that can be handed out
 * @param inUse connections that callers hold, without temporary ones
 * @param validating connections that are being validated
 * @param overflow temporary connections beyond the maximum
 * @param opening connects under way, including those that wait for a lease or a permit
 * @param waitingForLease the part of {@code opening} that waits for a lease
 * @param waitingForPermit the part of {@code opening} that waits for a permit
 * @param closing discarded connections that are not closed yet
 * @param waiting checkouts in the wait queue
 * @param paused whether a pause was requested, so that the reservoir hands out nothing and opens nothing
 * @param checkouts how many checkouts got a connection
 * @param empties how many checkouts found no ready connection
 * @param timeouts how many checkouts ended without a connection
 * @param opened how many connections were opened
 * @param closed how many connections were closed
 * @param discards how many connections were discarded, by reason
 * @param openFailures how many connects failed, by reason
 * @param leaseReleaseFailures how many leases could not be released
 * @param checkoutTime how long checkouts took; of those that found a ready connection, only every 64th use of a
 *     connection is timed
 * @param waitTime how long checkouts spent in the wait queue
 * @param useTime how long connections were in use; only every sixteenth use of a connection is timed
 * @param openTime how long connects took, without the waits for permits and leases
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
