package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.Targets;

/**
 * All that a decision rests on, at one instant. Connections beyond the maximum by the overflow policy are counted apart.
 *
 * @param nowNanos the instant
 * @param targets how many connections are wanted
 * @param allowance how many beyond {@code maxOpen} while successors take over
 * @param ready connections that can be lent, and those being proven
 * @param doubtful those of {@code ready} whose proof is long in coming
 * @param inUse connections on loan
 * @param marked those of {@code inUse} that will retire on return
 * @param aging connections, not marked, whose successor is due to be opened
 * @param opening connects under way, overflow not counted
 * @param closing connections being closed that still have their place, overflow not counted
 * @param waiting checkouts in the queue
 * @param overflow temporary connections, those included that are being closed and still have their place
 * @param openingOverflow connects under way for temporary connections
 * @param overflowMax how many temporary connections there may be; 0 if the policy is another
 * @param opensInFlightMax how many connects may be under way
 * @param mayOpenFromNanos no connect begins before this
 * @param calmFromNanos no connect that can wait begins before this
 * @param calmAtOnce how many connects that can wait may begin together
 * @param probing whether the last connects failed, so that one at a time is tried
 * @param paused whether nothing is to be opened
 */
record Situation(
        long nowNanos,
        Targets targets,
        int allowance,
        int ready,
        int doubtful,
        int inUse,
        int marked,
        int aging,
        int opening,
        int closing,
        int waiting,
        int overflow,
        int openingOverflow,
        int overflowMax,
        int opensInFlightMax,
        long mayOpenFromNanos,
        long calmFromNanos,
        int calmAtOnce,
        boolean probing,
        boolean paused) {

    int live() {
        return ready + inUse;
    }

    /**
     * How many connects cannot wait: two for each who waits and whom no proof will serve, what is missing to one ready for every two on
     * loan, and to half of what is wanted. For all others there is time: the burst is better kept for those in need, and the
     * processors for the requests.
     */
    int needed(int wanted) {
        int hopeful = ready - doubtful;
        int half = (Math.min(wanted, targets.lowWatermark()) + 1) / 2;
        int needed = Math.max(
                2 * (waiting - hopeful), Math.max((inUse + 1) / 2 - hopeful, half - (live() - marked - doubtful)));
        return Math.max(0, needed - opening);
    }
}
