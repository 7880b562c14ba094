package dev.reservoir.jdbc.wrap;

import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Something open on a lent connection that has to be closed before the connection goes back. */
abstract class Tracked {
    static final int CLOSED = -1;

    /** The slot of the one that its connection remembers itself. */
    static final int FIRST = 0;

    final ConnectionBase connection;

    /** Its place among the open things of its connection, or {@link #CLOSED}. */
    int slot = CLOSED;

    /** Whether {@link #resultClosed} is to be called. */
    boolean watchesResults;

    Tracked(ConnectionBase connection) {
        this.connection = connection;
    }

    /** Closes it at the end of a loan, when it is no longer tracked. */
    abstract void closeOnReturn() throws SQLException;

    /** Makes it closed for the borrower without a word to the driver. */
    abstract void detach();

    /** Whether it is closed already, by whichever thread. */
    abstract boolean isGone();

    /** Hears that a result set that belongs to it was closed. */
    abstract void resultClosed();

    /** The statement behind its result sets, as the borrower may see it. */
    abstract @Nullable Statement statement() throws SQLException;
}
