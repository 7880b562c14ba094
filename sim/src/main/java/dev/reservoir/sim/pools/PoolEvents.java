package dev.reservoir.sim.pools;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;

/** Receives what happens in a pool of any kind. Its methods do not block. */
public interface PoolEvents {
    /** The pool opened a connection. */
    void opened(Link link);

    /** A connection left the pool and is about to be closed. */
    void discarded(Link link, DiscardReason reason);

    /** A connect failed. */
    void openFailed(OpenFailureReason reason);

    /** A checkout found nothing ready. */
    void empty();
}
