package dev.reservoir.jdbc.wrap;

import dev.reservoir.jdbc.ErrorRule;
import java.sql.SQLException;

/** What a lent connection needs of the reservoir that it comes from. Its methods are called on the borrower's thread. */
public interface ConnectionOwner {

    /**
     * Takes a connection back, exactly once per loan, at the end of it.
     *
     * @param good whether it is as it was before the loan; if not, {@link PhysicalConnection#whyBad} says why, and it must
     *     be closed without being used again
     * @param used whether the caller ran anything on it
     */
    void giveBack(PhysicalConnection connection, boolean good, boolean used);

    /** Takes a connection from a caller that seems to have forgotten it, in place of {@link #giveBack}. Not on the caller's thread. */
    void reclaim(PhysicalConnection connection);

    /**
     * Learns at once that a connection is broken, at most once in its life and while it is still on loan; {@link #giveBack}
     * follows. Not called for a connection that its borrower aborted, which says nothing about the database.
     */
    void broken(PhysicalConnection connection, SQLException why);

    /** Whether the connection's lifetime is so far gone that it would not be lent now. */
    boolean inGuardWindow(PhysicalConnection connection);

    /** Whether to expect that callers use one connection on several threads, see {@link ConnectionBase}. */
    boolean expectsSeveralThreads();

    /** Learns that a connection was used on several threads. From then on, that is to be expected. */
    void severalThreadsSeen();

    ErrorRule errorRule();
}
