package dev.reservoir.jdbc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the driver, for its whole life and over many loans. Each loan is a {@link LentConnection} of its own; this
 * is what they leave behind for each other, which is to be nothing. Never lends itself and never closes itself.
 */
final class PhysicalConnection {
    private static final VarHandle WHY_BAD;

    static {
        try {
            WHY_BAD = MethodHandles.lookup().findVarHandle(PhysicalConnection.class, "whyBad", SQLException.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Connection raw;
    final Session session;

    /** What is open on it beyond the one thing that its {@link LentConnection} remembers itself. */
    final TrackedList open = new TrackedList();

    /** Belongs to the reservoir: where it keeps this connection. */
    @Nullable
    Object seat;

    private @Nullable SQLException whyBad;

    /** Takes over a connection that was just opened. Costs no round trip. */
    PhysicalConnection(Connection raw) throws SQLException {
        this.raw = raw;
        this.session = new Session(raw);
    }

    /** Why it must not be lent again, or null. */
    @Nullable
    SQLException whyBad() {
        return (SQLException) WHY_BAD.getOpaque(this);
    }

    /** Makes it bad for ever. Returns whether it was not before. */
    boolean markBad(SQLException why) {
        return WHY_BAD.compareAndSet(this, null, why);
    }

    /** Whether a loan that ran nothing and left at most its first open thing has nothing to clean up here. */
    boolean isUntouched() {
        return session.isUnchanged() && open.isEmpty() && whyBad == null;
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
        try {
            closeAll(first);
            session.restore(used, inTransaction, unsure);
            return null;
        } catch (SQLException e) {
            return e;
        } catch (RuntimeException e) {
            return new SQLException("the driver failed while the connection was being reset: " + e, "HY000", e);
        }
    }

    /** Makes everything open on it closed for the borrower, without a word to the driver. */
    void detach(@Nullable Tracked first) {
        if (first != null) {
            first.slot = Tracked.CLOSED;
            first.detach();
        }
        open.detachAll();
    }

    private void closeAll(@Nullable Tracked first) throws SQLException {
        try {
            if (first != null) {
                first.slot = Tracked.CLOSED;
                first.closeOnReturn();
            }
        } catch (SQLException | RuntimeException e) {
            open.detachAll();
            throw e;
        }
        if (!open.isEmpty()) {
            open.closeAll();
        }
    }

    /** Names the driver's class, and nothing that a driver might put into its own words. */
    @Override
    public String toString() {
        return raw.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(raw));
    }
}
