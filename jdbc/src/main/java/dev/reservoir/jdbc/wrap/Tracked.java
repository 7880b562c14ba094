package dev.reservoir.jdbc.wrap;

import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** An object that is open on a connection in use and must be closed before the connection is released. */
abstract class Tracked {
    static final int CLOSED = -1;

    /** The slot of the one object that its connection remembers itself. */
    static final int FIRST = 0;

    final ConnectionBase connection;

    /** The place of this object in the lists of its connection, or {@link #CLOSED}. */
    int slot = CLOSED;

    /** Whether {@link #resultClosed} must be called. */
    boolean watchesResults;

    Tracked(ConnectionBase connection) {
        this.connection = connection;
    }

    /** Closes this object at the end of a checkout, when it is no longer tracked. */
    abstract void closeOnReturn() throws SQLException;

    /** Makes this object closed for the caller, without a call to the driver. */
    abstract void detach();

    /** Whether any thread has closed this object. */
    abstract boolean isGone();

    /** Called when a result set that belongs to this object was closed. */
    abstract void resultClosed();

    /** The statement behind the result sets of this object, as the caller may see it. */
    abstract @Nullable Statement statement() throws SQLException;
}
