package dev.reservoir.sim.pools;

import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Leases.Lease;
import org.jspecify.annotations.Nullable;

/** One connection to the simulated database. Holds the state of both ends: the database's and the client's. */
public final class Link {
    /** Sequence number in the whole simulation, from 1. */
    public final long number;

    public final long bornNanos;

    /** The process that opened the connection. Only the database gives it a meaning. */
    public final Object owner;

    /** Whether the connection is still open at the database. */
    public boolean open = true;

    /** Whether the client's end no longer works. The client may not know yet. */
    public boolean broken;

    /** Whether a pool holds the connection, which it does from opening until discard. */
    public boolean held;

    public boolean closeBegun;

    /** The engine's handle for this connection while it is in use. */
    @Nullable
    Pooled<Link> pooled;

    /** The lease of this connection, if a model of a pool has one. */
    @Nullable
    Lease lease;

    /** Time at which a model of a pool ends this connection. */
    long endsNanos;

    /** Time since which the connection has been unused, as a model of a pool sees it. */
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
