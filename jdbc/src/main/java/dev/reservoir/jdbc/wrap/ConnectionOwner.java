package dev.reservoir.jdbc.wrap;

import dev.reservoir.jdbc.ErrorRule;
import java.sql.SQLException;

/**
 * The reservoir as a connection in use sees it. Methods are called on the thread of the caller unless they say
 * otherwise.
 */
public interface ConnectionOwner {

    /**
     * Takes a connection back at the end of a checkout, exactly once per checkout.
     *
     * @param good whether the connection is as it was before the checkout; if not, {@link PhysicalConnection#whyBad}
     *     says why, and the connection must be closed without further use
     * @param used whether the caller ran anything on it
     */
    void giveBack(PhysicalConnection connection, boolean good, boolean used);

    /**
     * Takes a connection from a caller that seems to have forgotten it, instead of {@link #giveBack}. Not called on the
     * thread of that caller.
     */
    void reclaim(PhysicalConnection connection);

    /**
     * Reports at once that a connection is broken, at most once in its life and while it is still in use.
     * {@link #giveBack} follows. Not called for a connection that its caller aborted, because an abort says nothing
     * about the database.
     */
    void broken(PhysicalConnection connection, SQLException why);

    /** Whether the connection is in its guard window, so that it would not be handed out now. */
    boolean inGuardWindow(PhysicalConnection connection);

    /** Whether to expect that callers use one connection on several threads; see {@link ConnectionBase}. */
    boolean expectsSeveralThreads();

    /** Reports that a connection was used on several threads. From then on, the owner expects that. */
    void severalThreadsSeen();

    ErrorRule errorRule();
}
