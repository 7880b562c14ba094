package dev.reservoir.core;

/**
 * How many connections are in which state at one instant: what {@link Stats} says of the present, without its histories, and
 * so cheap that it can be read after every event.
 *
 * @param targets how many are wanted
 * @param ready can be lent
 * @param inUse on loan
 * @param validating being proven
 * @param overflow temporary ones beyond the maximum
 * @param opening connects under way, in whatever step
 * @param openingOverflow those of them that are for temporary connections
 * @param waitingForLease those of them that wait for a lease
 * @param waitingForPermit those of them that wait for a permit
 * @param closing discarded, and not closed yet or their leases not given back yet
 * @param openStill being closed, for less than 100 ms so far, so that they still have their place; temporary ones, and those that
 *     came late, not counted
 * @param waiting checkouts in the queue
 * @param paused whether nothing is lent or opened now
 */
public record Counts(
        Targets targets,
        int ready,
        int inUse,
        int validating,
        int overflow,
        int opening,
        int openingOverflow,
        int waitingForLease,
        int waitingForPermit,
        int closing,
        int openStill,
        int waiting,
        boolean paused) {

    /** Connections in the reservoir: ready, lent or being proven. */
    public int size() {
        return ready + inUse + validating;
    }
}
