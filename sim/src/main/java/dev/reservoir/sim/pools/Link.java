package dev.reservoir.sim.pools;

import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Leases.Lease;
import org.jspecify.annotations.Nullable;

/** One connection to the pretended database, seen from both of its ends. */
public final class Link {
    /** Counted from 1 over the whole simulation. */
    public final long number;

    public final long bornNanos;

    /** Whose it is; the database's own mark. */
    public final Object owner;

    /** Whether the database still has it. */
    public boolean open = true;

    /** Whether the client's end is of no use any more, although the client may not know. */
    public boolean broken;

    /** Whether a pool holds it: from its opening to its discard. */
    public boolean held;

    public boolean closeBegun;

    /** What the engine calls it while it is on loan. */
    @Nullable
    Pooled<Link> pooled;

    /** The right to hold it, where a model of a pool has one. */
    @Nullable
    Lease lease;

    /** Until when a model of a pool keeps it. */
    long endsNanos;

    /** Since when it has not been used, as a model of a pool sees it. */
    long idleSinceNanos;

    public Link(long number, long bornNanos, Object owner) {
        this.number = number;
        this.bornNanos = bornNanos;
        this.owner = owner;
    }

    @Override
    public String toString() {
        return "connection " + number;
    }
}
