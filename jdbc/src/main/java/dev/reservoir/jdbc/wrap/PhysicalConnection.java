package dev.reservoir.jdbc.wrap;

import dev.reservoir.jdbc.ConnectionReset;
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
 * A connection of the driver, from open to close and over many checkouts. Each checkout has its own
 * {@link WrappedConnection}. This class holds the state that outlives a checkout; no checkout may leave a trace in it.
 * Never hands itself out and never closes itself.
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

    /**
     * The sockets that the driver made for this connection, as far as they are known. Closing them ends calls that the
     * abort of the driver does not end.
     */
    public volatile List<Socket> sockets = List.of();

    /** Whether the driver implements request boundaries. The default methods of JDBC do nothing. */
    public final boolean hasRequests;

    /**
     * The open objects of the thread that owns the checkout, except the first, which its {@link WrappedConnection}
     * remembers.
     */
    final TrackedList open = TrackedList.ofOneThread();

    /** The open objects of other threads. Guarded by its own monitor during a checkout. */
    final TrackedList openOfOthers = TrackedList.ofSeveralThreads();

    /** Clears what JDBC cannot restore, after a checkout that ran something. */
    private final @Nullable ConnectionReset connectionReset;

    /** Belongs to the reservoir, which keeps its entry for this connection here. */
    @Nullable
    public Object pooled;

    private @Nullable SQLException whyBad;

    /** See {@link #calls()}. */
    private int calls;

    /** How many calls are in progress on threads that do not own the checkout. */
    private int inside;

    private boolean inRequest;

    /** Takes over a connection that was just opened. Costs no round trip. */
    public PhysicalConnection(Connection raw) throws SQLException {
        this(raw, null, null);
    }

    /**
     * Does the same for a server that has only one isolation level, or for connections that need more at the end of a
     * checkout than JDBC can restore.
     */
    public PhysicalConnection(
            Connection raw, @Nullable Integer onlyIsolation, @Nullable ConnectionReset connectionReset)
            throws SQLException {
        this.raw = raw;
        this.connectionReset = connectionReset;
        this.session = new SessionState(raw, onlyIsolation);
        this.hasRequests = RequestBoundaries.has(raw);
    }

    /** Why the connection must not be handed out again, or null. */
    @Nullable
    public SQLException whyBad() {
        return (SQLException) WHY_BAD.getOpaque(this);
    }

    /** Marks the connection as bad for ever. Returns whether it was good before. */
    public boolean markBad(SQLException why) {
        return WHY_BAD.compareAndSet(this, null, why);
    }

    /**
     * Odd while a thread is in a driver call that may wait for the server, even otherwise. If an observer on any thread
     * reads the same odd number twice, the same call was in progress all the time. Calls of several threads at once may
     * hide each other. But a connection without a call in progress always has an even number.
     */
    public int calls() {
        return (int) CALLS.getOpaque(this);
    }

    /** Notes that a call that may wait for the server begins on this thread. */
    void callBegins() {
        calls = (calls + 1) | 1;
    }

    /** Notes that such a call has ended. */
    void callEnds() {
        calls = (calls | 1) + 1;
    }

    /** Counts a thread in that does not own the checkout. Returns how many such threads were inside already. */
    int enter() {
        return (int) INSIDE.getAndAdd(this, 1);
    }

    void leave() {
        INSIDE.getAndAdd(this, -1);
    }

    /**
     * Whether no counted call is in progress, as far as this thread can see. It reads a plain field, but a thread
     * always sees its own count.
     */
    boolean isNoneCounted() {
        return inside == 0;
    }

    /** How many threads that do not own the checkout are in a call. */
    int entered() {
        return (int) INSIDE.getVolatile(this);
    }

    /** Tells the driver that a checkout begins. Called only if {@link #hasRequests}. */
    public void beginRequest() throws SQLException {
        callBegins();
        try {
            raw.beginRequest();
        } finally {
            callEnds();
        }
        inRequest = true;
    }

    /**
     * Whether there is nothing to clean up here. The caller must have run nothing and have nothing open, except the
     * first object that the checkout remembers.
     */
    boolean isUntouched() {
        return session.isUnchanged() && open.isEmpty() && openOfOthers.isEmpty() && whyBad == null && !inRequest;
    }

    /**
     * Ends a checkout: closes what is open, rolls back, restores what was changed, and runs the {@link ConnectionReset}
     * if there is one. Sends nothing else to the server, and nothing at all if the connection is bad.
     *
     * @param first the one open object that the checkout remembered itself
     * @param unsure whether the caller held objects of the driver, so that the driver must be asked for its state
     * @return the failure, or null; after a failure the method that called must mark the connection bad
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
            if (connectionReset != null && (used || unsure)) {
                connectionReset.reset(raw);
            }
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

    /** Makes everything open on this connection closed for the caller, without a call to the driver. */
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

    /** The first failure stops the closing and leaves the rest detached. */
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

    /** Names the class of the driver only, because the text of a driver may hold a secret. */
    @Override
    public String toString() {
        return raw.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(raw));
    }
}
