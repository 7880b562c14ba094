package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.store.Write;
import java.util.List;

/**
 * One step of a repair. Its writes are applied together or not at all, and only if everything is still as it was read.
 *
 * @param kind what the step does
 * @param what what is written, in one line
 * @param writes the writes, with their conditions
 */
public record ClusterRepairStep(Kind kind, String what, List<Write> writes) {

    /** The kinds of step. */
    public enum Kind {
        /** Sets the count to the sum of the shares and the unclaimed leases. */
        SET_COUNT,
        /** Takes back what a dead member holds. */
        TAKE_BACK,
        /** Removes an id from the member list that has no item. */
        UNLIST,
        /** Adds a living member to the member list that is not in it. */
        LIST,
        /** Lets permits be reserved from the present on again. */
        RESET_BUCKET,
        /** Sets the counter that Go processes share to the operator's value. */
        SET_ACTIVE
    }

    public ClusterRepairStep {
        writes = List.copyOf(writes);
        if (writes.isEmpty()) {
            throw new IllegalArgumentException("bug: a step without writes");
        }
    }

    /** Whether the step concerns permits; otherwise it concerns leases. */
    boolean isOfPermits() {
        return kind == Kind.RESET_BUCKET;
    }
}
