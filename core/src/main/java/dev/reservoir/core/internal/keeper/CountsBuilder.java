package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.Counts;
import dev.reservoir.core.Targets;

/** Collects the numbers of {@link Counts} by their names. */
final class CountsBuilder {
    private final Targets targets;
    int ready;
    int inUse;
    int validating;
    int overflow;
    int opening;
    int openingOverflow;
    int waitingForLease;
    int waitingForPermit;
    int closing;
    int openStill;
    int waiting;
    boolean paused;

    CountsBuilder(Targets targets) {
        this.targets = targets;
    }

    Counts build() {
        return new Counts(
                targets,
                ready,
                inUse,
                validating,
                overflow,
                opening,
                openingOverflow,
                waitingForLease,
                waitingForPermit,
                closing,
                openStill,
                waiting,
                paused);
    }
}
