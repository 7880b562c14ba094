package dev.reservoir.flightsql;

import dev.reservoir.flightsql.pool.SessionCore;
import org.apache.arrow.flight.sql.FlightSqlClient;

/**
 * One connection with Arrow's own client, for requests that the pool has no method for. The pool does not see what is
 * done with the client, so it cannot undo it: call {@link #discard} if the session was changed.
 */
public final class PooledConnection implements AutoCloseable {
    private final SessionCore core;

    PooledConnection(SessionCore core) {
        this.core = core;
        core.heldBy(this);
    }

    /** Arrow's client. It must not be closed, and not be used after the connection is released. */
    public FlightSqlClient client() {
        return core.client();
    }

    /** Whether the server's session is gone. */
    public boolean isLost() {
        return core.isLost();
    }

    /** Drops the connection, so that nobody gets it again. */
    public void discard() {
        core.dropOnClose();
        core.close();
    }

    /** Gives the connection back. Does nothing the second time. */
    @Override
    public void close() {
        core.close();
    }
}
