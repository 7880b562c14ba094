package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.Targets;

/**
 * The input of a decision, at one instant. Temporary connections, which the overflow policy opens beyond the maximum,
 * are counted separately.
 *
 * @param nowNanos the instant
 * @param targets how many connections are wanted
 * @param allowance how many connections may exist beyond {@code maxOpen} while successors take over
 * @param ready connections that can be handed out, and those being validated
 * @param doubtful the part of {@code ready} whose validation takes too long
 * @param inUse connections in use
 * @param marked the part of {@code inUse} that retires on release
 * @param aging unmarked connections whose successor is due
 * @param opening connects under way, without those for temporary connections
 * @param closing connections being closed that still occupy their places, without temporary ones
 * @param waiting checkouts in the wait queue
 * @param overflow temporary connections, including those being closed that still occupy their places
 * @param openingOverflow connects under way for temporary connections
 * @param overflowMax how many temporary connections may exist; 0 under any other policy
 * @param opensInFlightMax how many connects may be under way
 * @param mayOpenFromNanos no connect begins before this
 * @param calmFromNanos no connect that can wait begins before this
 * @param calmAtOnce how many connects that can wait may begin together
 * @param probing whether the last connects failed, so that only one at a time is attempted
 * @param paused whether nothing may be opened
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
     * How many connects cannot wait. It is the largest of three numbers, minus the connects under way: two for each
     * waiter that no validation will serve; the number missing to one ready connection for every two in use; and the
     * number missing to half of the low watermark, or of the wanted connections if that is less. All other connects can
     * wait. They leave the burst to connects that are needed, and the processors to requests.
     */
    int needed(int wanted) {
        int hopeful = ready - doubtful;
        int half = (Math.min(wanted, targets.lowWatermark()) + 1) / 2;
        int needed = Math.max(
                2 * (waiting - hopeful), Math.max((inUse + 1) / 2 - hopeful, half - (live() - marked - doubtful)));
        return Math.max(0, needed - opening);
    }

    /** Collects the numbers by their names. Those that are not set are 0. */
    static final class Builder {
        long nowNanos;
        Targets targets;
        int allowance;
        int ready;
        int doubtful;
        int inUse;
        int marked;
        int aging;
        int opening;
        int closing;
        int waiting;
        int overflow;
        int openingOverflow;
        int overflowMax;
        int opensInFlightMax;
        long mayOpenFromNanos;
        long calmFromNanos;
        int calmAtOnce;
        boolean probing;
        boolean paused;

        Builder(Targets targets) {
            this.targets = targets;
        }

        Situation build() {
            return new Situation(
                    nowNanos,
                    targets,
                    allowance,
                    ready,
                    doubtful,
                    inUse,
                    marked,
                    aging,
                    opening,
                    closing,
                    waiting,
                    overflow,
                    openingOverflow,
                    overflowMax,
                    opensInFlightMax,
                    mayOpenFromNanos,
                    calmFromNanos,
                    calmAtOnce,
                    probing,
                    paused);
        }
    }
}
