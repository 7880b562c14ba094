package dev.reservoir.core;

/**
 * The number of connections in each state at one instant. The numbers add up: {@code ready + inUse + validating ==
 * size}. {@link Stats} adds totals and histories. Counts are cheap enough to read after every event.
 *
 * @param targets how many connections the reservoir is asked to hold
 * @param ready connections that can be handed out
 * @param inUse connections that callers hold, without temporary ones
 * @param validating connections that are being validated
 * @param overflow temporary connections beyond the maximum
 * @param opening connects under way, including those that wait for a lease or a permit
 * @param openingOverflow the part of {@code opening} that is for temporary connections
 * @param waitingForLease the part of {@code opening} that waits for a lease
 * @param waitingForPermit the part of {@code opening} that waits for a permit
 * @param closing discarded connections that are not closed yet, or whose leases are not released yet
 * @param openStill connections that have been closing for less than 100 ms and so still occupy their places; temporary
 *     connections and connections that arrived late are not counted
 * @param waiting checkouts in the wait queue
 * @param paused whether a pause was requested, so that the reservoir hands out nothing and opens nothing
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

    /** Connections within the maximum and the successors' allowance: ready, in use or being validated. */
    public int size() {
        return ready + inUse + validating;
    }
}
