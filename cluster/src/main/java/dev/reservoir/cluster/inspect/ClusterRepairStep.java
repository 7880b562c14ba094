package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.store.Write;
import java.util.List;

/**
 * One thing that a repair does: writes that are done together or not at all, and only if everything is still as it was read.
 *
 * @param kind what is done
 * @param why what is wrong
 * @param what what is written, in one line
 * @param writes the writes, with their conditions
 */
public record ClusterRepairStep(Kind kind, String why, String what, List<Write> writes) {

    /** What a repair can do. */
    public enum Kind {
        /** Sets the count to the sum of the shares. */
        SET_COUNT,
        /** Takes back what a dead member holds. */
        TAKE_BACK,
        /** Takes ids out of the set of members that have no item. */
        UNLIST,
        /** Puts a member into the set that lives and is not in it. */
        LIST,
        /** Lets permits be reserved from now on again. */
        RESET_BUCKET,
        /** Sets the counter that Go processes share to what the operator says. */
        SET_ACTIVE
    }

    public ClusterRepairStep {
        writes = List.copyOf(writes);
        if (writes.isEmpty()) {
            throw new IllegalArgumentException("bug: a step without writes");
        }
    }

    /** Whether it concerns permits; otherwise leases. */
    boolean isOfPermits() {
        return kind == Kind.RESET_BUCKET;
    }
}
