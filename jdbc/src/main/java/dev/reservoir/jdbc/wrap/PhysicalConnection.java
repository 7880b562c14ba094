package dev.reservoir.jdbc.wrap;

import dev.reservoir.jdbc.session.RequestBoundaries;
import dev.reservoir.jdbc.session.SessionState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the driver, for its whole life and over many loans. Each loan is a {@link WrappedConnection} of its own; this
 * is what they leave behind for each other, which is to be nothing. Never lends itself and never closes itself.
 */
public final class PhysicalConnection {
    private static final VarHandle WHY_BAD;
    private static final VarHandle CALLS;
    private static final VarHandle INSIDE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WHY_BAD = lookup.findVarHandle(PhysicalConnection.class, "whyBad", SQLException.class);
            CALLS = lookup.findVarHandle(PhysicalConnection.class, "calls", int.class);
            INSIDE = lookup.findVarHandle(PhysicalConnection.class, "inside", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public final Connection raw;
    final SessionState session;

    /** Those that the driver made for it, as far as they are known: closing them ends calls that a driver's abort does not end. */
    public volatile List<Socket> sockets = List.of();

    /** Whether the driver has request boundaries of its own, rather than JDBC's default, which does nothing. */
    public final boolean hasRequests;

    /** What the thread that owns the checkout has open, beyond the one thing that its {@link WrappedConnection} remembers. */
    final TrackedList open = TrackedList.ofOneThread();

    /** What other threads have open. Guarded by its own monitor while a checkout lasts. */
    final TrackedList openOfOthers = TrackedList.ofSeveralThreads();

    /** Belongs to the reservoir: where it keeps this connection. */
    @Nullable
    public Object pooled;

    private @Nullable SQLException whyBad;

    /** See {@link #calls()}. */
    private int calls;

    /** How many calls are under way on threads that do not own the checkout. */
    private int inside;

    private boolean inRequest;

    /** Takes over a connection that was just opened. Costs no round trip. */
    public PhysicalConnection(Connection raw) throws SQLException {
        this(raw, null);
    }

    /** The same on a server that has only one isolation level. */
    public PhysicalConnection(Connection raw, @Nullable Integer onlyIsolation) throws SQLException {
        this.raw = raw;
        this.session = new SessionState(raw, onlyIsolation);
        this.hasRequests = RequestBoundaries.has(raw);
    }

    /** Why it must not be lent again, or null. */
    @Nullable
    public SQLException whyBad() {
        return (SQLException) WHY_BAD.getOpaque(this);
    }

    /** Makes it bad for ever. Returns whether it was not before. */
    public boolean markBad(SQLException why) {
        return WHY_BAD.compareAndSet(this, null, why);
    }

    /**
     * Odd while a thread is inside a call of the driver that may wait for the server, even otherwise. An observer on any thread
     * that reads the same odd number twice knows that the same call was under way all the time. Calls of several threads at
     * once may hide each other, but a connection without a call under way always has an even number.
     */
    public int calls() {
        return (int) CALLS.getOpaque(this);
    }

    /** A call that may wait for the server begins on this thread. */
    void callBegins() {
        calls = (calls + 1) | 1;
    }

    /** It has ended. */
    void callEnds() {
        calls = (calls | 1) + 1;
    }

    /** A thread that does not own the checkout is about to call. Returns how many others were inside already. */
    int enter() {
        return (int) INSIDE.getAndAdd(this, 1);
    }

    void leave() {
        INSIDE.getAndAdd(this, -1);
    }

    /** Whether no such call is under way, as far as this thread knows; it always knows of its own. */
    boolean isNoneCounted() {
        return inside == 0;
    }

    /** How many threads that do not own the checkout are inside a call. */
    int entered() {
        return (int) INSIDE.getVolatile(this);
    }

    /** Tells the driver that a checkout begins, if the driver wants to know. */
    public void beginRequest() throws SQLException {
        callBegins();
        try {
            raw.beginRequest();
        } finally {
            callEnds();
        }
        inRequest = true;
    }

    /** Whether a loan that ran nothing and left at most its first open thing has nothing to clean up here. */
    boolean isUntouched() {
        return session.isUnchanged() && open.isEmpty() && openOfOthers.isEmpty() && whyBad == null && !inRequest;
    }

    /**
     * Ends a loan: closes what is open, rolls back, restores what was changed. Sends the server nothing beyond that, and
     * nothing at all if the connection is bad.
     *
     * @param first the one open thing that the loan remembered itself
     * @param unsure whether the driver's objects were out of sight, so that it must be asked how things stand
     * @return what went wrong, or null; whoever gets it must mark the connection bad
     */
    @Nullable
    SQLException reset(@Nullable Tracked first, boolean used, boolean inTransaction, boolean unsure) {
        SQLException bad = whyBad();
        if (bad != null) {
            detach(first);
            return bad;
        }
        callBegins();
        try {
            closeAll(first);
            session.restore(used, inTransaction, unsure);
            endRequest();
            return null;
        } catch (SQLException e) {
            return e;
        } catch (RuntimeException e) {
            return new SQLException("the driver failed while the connection was being reset: " + e, "HY000", e);
        } finally {
            callEnds();
        }
    }

    private void endRequest() throws SQLException {
        if (inRequest) {
            inRequest = false;
            raw.endRequest();
        }
    }

    /** Makes everything open on it closed for the borrower, without a word to the driver. */
    void detach(@Nullable Tracked first) {
        if (first != null) {
            first.slot = Tracked.CLOSED;
            first.detach();
        }
        open.detachAll();
        synchronized (openOfOthers) {
            openOfOthers.detachAll();
        }
    }

    /** The first failure ends it, and leaves the rest detached. */
    private void closeAll(@Nullable Tracked first) throws SQLException {
        boolean done = false;
        try {
            if (first != null) {
                first.slot = Tracked.CLOSED;
                first.closeOnReturn();
            }
            if (!open.isEmpty()) {
                open.closeAll();
            }
            if (!openOfOthers.isEmpty()) {
                openOfOthers.closeAll();
            }
            done = true;
        } finally {
            if (!done) {
                detach(null);
            }
        }
    }

    /** Names the driver's class, and nothing that a driver might put into its own words. */
    @Override
    public String toString() {
        return raw.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(raw));
    }
}
