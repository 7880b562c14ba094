package dev.reservoir.jdbc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One loan of a {@link PhysicalConnection}: its beginning is the constructor, its end is {@link #close} or {@link #abort},
 * whichever comes first. After that it is closed for ever, though the connection behind it is lent again.
 *
 * <p>It is made anew for each loan and therefore small: it remembers the first open statement itself, as most loans have but
 * one at a time, and only what is open beside it stands in the connection's list. Plain fields are enough, for a connection
 * is used by one thread after the other; only the end of the loan is atomic. Two threads at once may get each other's
 * errors, but neither ends a loan twice nor uses the connection after its end.
 *
 * <p>What is special about a lent connection stands here and in {@link SettingsBase}; the rest passes calls on and is
 * generated.
 */
abstract class ConnectionBase implements Connection {
    private static final int OPEN = 0;
    private static final int ENDED = 1;
    private static final VarHandle STATE;

    /** Bits of {@link #ran}. */
    private static final byte USED = 1;

    private static final byte USED_IN_TRANSACTION = 3;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ConnectionBase.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final PhysicalConnection physical;
    private final Home home;
    private int state;
    private @Nullable Tracked first;

    /** Whether anything was run, and whether that was after the last commit or rollback. */
    private byte ran;

    /** Whether the borrower holds something of the driver's, so that not all he does is seen here. */
    private boolean unsure;

    ConnectionBase(PhysicalConnection physical, Home home) {
        this.physical = physical;
        this.home = home;
    }

    /** The driver's connection, while the loan lasts. */
    final Connection open() throws SQLException {
        if (state != OPEN) {
            throw closedConnection();
        }
        return physical.raw;
    }

    /** The same, for a call after which a transaction may be open. */
    final Connection run() throws SQLException {
        Connection raw = open();
        ran = USED_IN_TRANSACTION;
        return raw;
    }

    /** The same, for a call that hands out something of the driver's that can start a transaction by itself. */
    final Connection expose() throws SQLException {
        Connection raw = open();
        unsure = true;
        return raw;
    }

    /** Notes that a statement is about to run. */
    final void running() {
        ran = USED_IN_TRANSACTION;
    }

    /** Notes that the borrower is about to hold something of the driver's. */
    final void exposing() {
        unsure = true;
    }

    /** Notes that no transaction is open any more. */
    final void transactionEnded() {
        ran = USED;
    }

    @Override
    public final void close() {
        if (!STATE.compareAndSet(this, OPEN, ENDED)) {
            return;
        }
        boolean good = false;
        try {
            good = (ran == 0 && first == null && !unsure && physical.isUntouched()) || reset();
        } finally {
            home.giveBack(physical, good);
        }
    }

    private boolean reset() {
        Tracked tracked = first;
        first = null;
        SQLException failure = physical.reset(tracked, ran != 0, ran == USED_IN_TRANSACTION, unsure);
        if (failure == null) {
            return true;
        }
        if (isBad(failure)) {
            broken(failure);
        } else {
            physical.markBad(failure);
        }
        return false;
    }

    /** Ends the loan at once, even while another thread is stuck in a call. The connection is not lent again. */
    @Override
    public final void abort(Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort: the executor is null, and has to be given", "HY000");
        }
        if (!STATE.compareAndSet(this, OPEN, ENDED)) {
            return;
        }
        physical.markBad(new SQLException("its borrower aborted it", "HY000"));
        try {
            physical.detach(first);
            physical.raw.abort(executor);
        } finally {
            home.giveBack(physical, false);
        }
    }

    @Override
    public final boolean isClosed() throws SQLException {
        if (state != OPEN) {
            return true;
        }
        try {
            if (!physical.raw.isClosed()) {
                return false;
            }
        } catch (SQLException e) {
            throw failed(e);
        }
        broken(new SQLException("the driver has closed the connection", "08003"));
        return true;
    }

    /** Also false in the guard window, so that a pool on top replaces the connection in time. */
    @Override
    public final boolean isValid(int timeoutSeconds) throws SQLException {
        if (timeoutSeconds < 0) {
            throw new SQLException(
                    "isValid: the time-out is " + timeoutSeconds + " s, and has to be 0 or more", "HY000");
        }
        if (state != OPEN || physical.whyBad() != null || home.inGuardWindow(physical)) {
            return false;
        }
        Connection raw = run();
        try {
            if (raw.isValid(timeoutSeconds)) {
                return true;
            }
        } catch (SQLException e) {
            throw failed(e);
        }
        broken(new SQLException("isValid said no within " + timeoutSeconds + " s", "08006"));
        return false;
    }

    /** Has the error judged, and returns it for being thrown. */
    final SQLException failed(SQLException e) {
        if (state == OPEN && isBad(e)) {
            broken(e);
        }
        return e;
    }

    private void broken(SQLException why) {
        if (physical.markBad(why)) {
            home.broken(physical, why);
        }
    }

    /** A rule that fails itself must not hide the error that it was asked about. */
    private boolean isBad(SQLException e) {
        try {
            return home.errorRule().isBad(e);
        } catch (RuntimeException ruleFailed) {
            return ErrorRule.standard().isBad(e);
        }
    }

    final LentStatement lend(Statement raw) throws SQLException {
        LentStatement lent = new LentStatement(this, raw);
        track(lent);
        return lent;
    }

    final LentPreparedStatement lend(PreparedStatement raw) throws SQLException {
        LentPreparedStatement lent = new LentPreparedStatement(this, raw);
        track(lent);
        return lent;
    }

    final LentCallableStatement lend(CallableStatement raw) throws SQLException {
        LentCallableStatement lent = new LentCallableStatement(this, raw);
        track(lent);
        return lent;
    }

    /** For a result set that belongs to no statement of the borrower. */
    final @Nullable LentResultSet lend(@Nullable ResultSet raw) throws SQLException {
        if (raw == null) {
            return null;
        }
        LooseResult owner = new LooseResult(this, raw);
        track(owner);
        return new LentResultSet(owner, raw);
    }

    /** For a value of any type: a cursor is lent as a result set. */
    final @Nullable Object lendValue(@Nullable Object value) throws SQLException {
        exposeIfActing(value);
        return value instanceof ResultSet cursor ? lend(cursor) : value;
    }

    /** For a value of the type that the borrower asked for. */
    final <T> @Nullable T lendValue(@Nullable T value, Class<T> type) throws SQLException {
        exposeIfActing(value);
        return value != null && type == ResultSet.class ? type.cast(lend((ResultSet) value)) : value;
    }

    /** These ask the server by themselves, whichever way the borrower came by them. */
    private void exposeIfActing(@Nullable Object value) {
        if (value instanceof Blob || value instanceof Clob || value instanceof Ref || value instanceof Array) {
            unsure = true;
        }
    }

    private void track(Tracked tracked) throws SQLException {
        if (first == null) {
            tracked.slot = 0;
            first = tracked;
        } else {
            tracked.slot = slotOf(physical.open.add(tracked));
        }
        if (state != OPEN) {
            endedMeanwhile(tracked);
        }
    }

    /** The loan ended on another thread while this one was opening something. */
    private void endedMeanwhile(Tracked tracked) throws SQLException {
        untrack(tracked);
        tracked.closeOnReturn();
        throw closedConnection();
    }

    final void untrack(Tracked tracked) {
        int slot = tracked.slot;
        tracked.slot = Tracked.CLOSED;
        if (slot > 0) {
            physical.open.remove(tracked, slot - 1);
        } else if (slot == 0 && first == tracked) {
            first = null;
        }
    }

    /** The slot of something that stands in the connection's list. */
    static int slotOf(int index) {
        return index + 1;
    }

    private static SQLException closedConnection() {
        return new SQLException("this connection was closed, and is back in its reservoir", "08003");
    }

    /** The error for a use of something closed. */
    final SQLException closed(String what) {
        return state == OPEN ? new SQLException("this " + what + " was closed", "HY010") : closedConnection();
    }

    @Override
    public final String toString() {
        return "LentConnection[" + physical + (state == OPEN ? "]" : ", closed]");
    }
}
