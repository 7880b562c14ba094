package dev.reservoir.jdbc.wrap;

import dev.reservoir.jdbc.ErrorRule;
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
 * One checkout of a {@link PhysicalConnection}: its beginning is the constructor, its end is {@link #close}, {@link #abort} or
 * {@link #reclaim}, whichever comes first. After that it is closed for ever, though the connection behind it is handed out again.
 *
 * <p>It is made anew for each checkout and therefore small: it remembers the first open statement itself, as most checkouts have
 * but one at a time, and only what is open beside it stands in the connection's lists.
 *
 * <p><b>Threads.</b> Nothing that belongs to a checkout may reach the driver after its end, when the connection may be somebody
 * else's already. Whoever ends a checkout must therefore know whether any thread is inside a call of the driver. Nearly always one
 * thread does everything, and for it that must cost nothing, least of all a memory fence in each call. So {@link #user} says
 * who may call how:
 *
 * <ul>
 *   <li>{@code FRESH}: nobody has called yet. The first thread that calls becomes the owner, by one atomic step.
 *   <li>a thread, the owner: it compares {@code user} with itself, and that is all. Its notes are plain fields. Any other thread
 *       counts itself in and out atomically, and has a list of its own to note what it opens.
 *   <li>{@code SHARED}: every thread counts itself in and out.
 *   <li>{@code ENDED}: nobody may call.
 * </ul>
 *
 * <p>To enter, a thread first counts itself in and then looks whether the checkout has ended; to end, a thread first sets {@code
 * ENDED} and then looks at the count. So at least one of two that meet sees the other. If the ender sees a call under way,
 * the connection is discarded. The owner is not counted. When it ends the checkout itself, it is not inside a call. When another
 * thread does, nobody can tell, and the connection is discarded; the reservoir learns of it and expects several threads from
 * then on: every checkout that begins afterwards is {@code SHARED} from its first call, and ends without a doubt. So at most the
 * connections in use at that moment are discarded for this reason, once in the life of a reservoir.
 *
 * <p>What is special about a lent connection stands here and in {@link SettingsBase}; the rest passes calls on and is
 * generated.
 */
abstract class ConnectionBase implements Connection {
    private static final Object FRESH = new Object();
    private static final Object SHARED = new Object();
    private static final Object ENDED = new Object();
    private static final VarHandle USER;

    /** Made beforehand, for when there is no memory or stack left to make one that says more. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // never thrown
    private static final SQLException SOME_ERROR = new SQLException("an Error was thrown on it", "HY000");

    /** Bits of {@link #ran}. */
    private static final byte USED = 1;

    private static final byte USED_IN_TRANSACTION = 3;

    static {
        try {
            USER = MethodHandles.lookup().findVarHandle(ConnectionBase.class, "user", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public final PhysicalConnection physical;
    private final ConnectionOwner home;
    private Object user = FRESH;

    /** Only of the owner, who alone may touch it and {@link PhysicalConnection#open}. */
    private @Nullable Tracked first;

    /** Whether anything was run, and whether that was after the last commit or rollback. */
    private byte ran;

    /** Whether not all that was done is seen here: the caller holds something of the driver's, or threads met. */
    private boolean unsure;

    /** Whether threads met while one changed a setting, so that it is not known what to restore. */
    private boolean settingsUnsure;

    /** Whether the caller is a pool of its own, which hands the connection on and wants to know when to replace it. */
    private final boolean underPool;

    ConnectionBase(PhysicalConnection physical, ConnectionOwner home, boolean underPool) {
        this.physical = physical;
        this.home = home;
        this.underPool = underPool;
    }

    // Every call of the driver stands between enter and leave, and one that may wait for the server between begin and
    // end.

    /** Begins a call of the driver, unless the checkout has ended. {@link #leave} must follow. */
    final void enter() throws SQLException {
        if (user != Thread.currentThread() && !enterAsOther()) {
            throw closedConnection();
        }
    }

    /** Begins a call that is pointless after the end. Returns whether it may go on, and then {@link #leave} must follow. */
    final boolean tryEnter() {
        return user == Thread.currentThread() || enterAsOther();
    }

    private boolean enterAsOther() {
        Object now = USER.getVolatile(this);
        if (now == FRESH) {
            Object wanted = underPool || home.expectsSeveralThreads() ? SHARED : Thread.currentThread();
            now = USER.compareAndExchange(this, FRESH, wanted);
            if (now == FRESH) {
                now = wanted;
            }
            if (now == Thread.currentThread()) {
                return true;
            }
        }
        return now != ENDED && countIn(now);
    }

    /** Counts this thread in, which saw the checkout in this state. The checkout may have ended since, and then it is counted out. */
    final boolean countIn(Object seen) {
        int others = physical.enter();
        if (USER.getVolatile(this) == ENDED) {
            physical.leave();
            return false;
        }
        if (others != 0 || seen != SHARED) {
            // Its notes of a transaction and those of the thread that it meets may overwrite each other.
            unsure = true;
        }
        return true;
    }

    /** Ends a call of the driver. If another thread ended the checkout of its owner, the count may be wrong, and is not needed. */
    final void leave() {
        if (!isOwner()) {
            physical.leave();
        }
    }

    /**
     * Whether this thread is the owner, for a thread that has entered. If it is not, it has counted itself, so none counted
     * is the answer already, and the usual one.
     */
    private boolean isOwner() {
        return physical.isNoneCounted() || user == Thread.currentThread();
    }

    /** Begins a call that may wait for the server, after {@link #enter}. */
    final void begin() {
        physical.callBegins();
    }

    /** Ends such a call, and leaves. */
    final void end() {
        physical.callEnds();
        leave();
    }

    /** The driver's connection, while the checkout lasts. */
    final Connection open() throws SQLException {
        enter();
        return physical.raw;
    }

    /** The same, for a call that may wait for the server. */
    final Connection call() throws SQLException {
        enter();
        begin();
        return physical.raw;
    }

    /** The same, for a call after which a transaction may be open. */
    final Connection run() throws SQLException {
        enter();
        running();
        return physical.raw;
    }

    /** The same, for a call that hands out something of the driver's that can start a transaction by itself. */
    final Connection expose() throws SQLException {
        enter();
        unsure = true;
        return physical.raw;
    }

    /** The same, for a call that changes a setting. */
    final Connection change() throws SQLException {
        enter();
        begin();
        if (!isOwner()) {
            changeAsOther();
        }
        return physical.raw;
    }

    /** Of threads that meet, the one that came later notices; the owner never does, so any other has to. */
    private void changeAsOther() {
        if (user != SHARED) {
            settingsUnsure = true;
            home.severalThreadsSeen();
        } else if (physical.entered() > 1) {
            settingsUnsure = true;
        }
    }

    /** Notes that something is about to run that may wait and may open a transaction. */
    final void running() {
        begin();
        ran = USED_IN_TRANSACTION;
    }

    /** Notes that a transaction may be open now. */
    final void ran() {
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
        Object was = USER.getAndSet(this, ENDED);
        if (was == ENDED) {
            return;
        }
        boolean good = false;
        try {
            if (!isLeft(was)) {
                physical.markBad(new SQLException(
                        "it was closed by one thread while another was using it, or may have been", "HY000"));
            } else {
                good = isUntouched() || reset();
            }
        } catch (RuntimeException | Error e) {
            physical.markBad(because(e));
            throw e;
        } finally {
            if (!good) {
                physical.markBad(SOME_ERROR);
            }
            home.giveBack(physical, good, ran != 0);
        }
    }

    /** Whether it is certain that no thread is inside a call, now that the checkout has ended. */
    private boolean isLeft(Object was) {
        if (was == FRESH) {
            return true;
        }
        if (was != SHARED && was != Thread.currentThread()) {
            home.severalThreadsSeen();
            return false;
        }
        return physical.entered() == 0;
    }

    private boolean isUntouched() {
        return ran == 0 && first == null && !unsure && !settingsUnsure && physical.isUntouched();
    }

    private boolean reset() {
        Tracked tracked = first;
        first = null;
        if (settingsUnsure) {
            physical.markBad(new SQLException("several threads changed its settings at once", "HY000"));
        }
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
        if (USER.getAndSet(this, ENDED) == ENDED) {
            return;
        }
        try {
            physical.markBad(new SQLException("its caller aborted it", "HY000"));
            physical.raw.abort(executor);
        } finally {
            physical.markBad(SOME_ERROR);
            home.giveBack(physical, false, ran != 0);
        }
    }

    /**
     * Ends the checkout under a caller that seems to have forgotten it, on another thread. The connection is closed, even while the
     * caller is inside a call.
     *
     * @return false if the checkout had ended already
     */
    public final boolean reclaim() {
        if (USER.getAndSet(this, ENDED) == ENDED) {
            return false;
        }
        try {
            physical.markBad(new SQLException("its caller had it for longer than abandonedTimeout", "HY000"));
        } finally {
            physical.markBad(SOME_ERROR);
            home.reclaim(physical);
        }
        return true;
    }

    @Override
    public final boolean isClosed() throws SQLException {
        if (hasEnded()) {
            return true;
        }
        try {
            if (!physical.raw.isClosed()) {
                return false;
            }
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        }
        broken(new SQLException("the driver has closed the connection", "08003"));
        return true;
    }

    /** Whether the connection works. For a pool on top also false in the guard window, so that it is replaced in time. */
    @Override
    public final boolean isValid(int timeoutSeconds) throws SQLException {
        if (timeoutSeconds < 0) {
            throw new SQLException(
                    "isValid: the timeout is " + timeoutSeconds + " s, and has to be 0 or more", "HY000");
        }
        if (physical.whyBad() != null || (underPool && home.inGuardWindow(physical)) || !tryEnter()) {
            return false;
        }
        running();
        try {
            if (physical.raw.isValid(timeoutSeconds)) {
                return true;
            }
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
        broken(new SQLException("isValid said no within " + timeoutSeconds + " s", "08006"));
        return false;
    }

    /**
     * Has an error of the driver judged, which the caller throws then. After an {@link Error} nobody knows how far the driver
     * came, so the connection is not handed out again.
     */
    final void failed(Throwable e) {
        if (e instanceof SQLException error) {
            if (!hasEnded() && isBad(error)) {
                broken(error);
            }
        } else if (e instanceof Error) {
            physical.markBad(because(e));
        }
    }

    private static SQLException because(Throwable error) {
        try {
            return new SQLException(
                    "an Error was thrown on it: " + error.getClass().getName(), "HY000", error);
        } catch (Error again) {
            return SOME_ERROR;
        }
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

    final WrappedStatement wrap(Statement raw) throws SQLException {
        try {
            WrappedStatement inUse = new WrappedStatement(this, raw);
            track(inUse);
            return inUse;
        } catch (SQLException | RuntimeException | Error e) {
            halfMade(raw, e);
            throw e;
        }
    }

    final WrappedPreparedStatement wrap(PreparedStatement raw) throws SQLException {
        try {
            WrappedPreparedStatement inUse = new WrappedPreparedStatement(this, raw);
            track(inUse);
            return inUse;
        } catch (SQLException | RuntimeException | Error e) {
            halfMade(raw, e);
            throw e;
        }
    }

    final WrappedCallableStatement wrap(CallableStatement raw) throws SQLException {
        try {
            WrappedCallableStatement inUse = new WrappedCallableStatement(this, raw);
            track(inUse);
            return inUse;
        } catch (SQLException | RuntimeException | Error e) {
            halfMade(raw, e);
            throw e;
        }
    }

    /** For a result set that belongs to no statement of the borrower. */
    final @Nullable WrappedResultSet wrap(@Nullable ResultSet raw) throws SQLException {
        if (raw == null) {
            return null;
        }
        try {
            UnownedResultSet owner = new UnownedResultSet(this, raw);
            WrappedResultSet inUse = new WrappedResultSet(owner, raw);
            track(owner);
            return inUse;
        } catch (SQLException | RuntimeException | Error e) {
            halfMade(raw, e);
            throw e;
        }
    }

    /** Closes what the driver made and the caller will never see. */
    private static void halfMade(AutoCloseable raw, Throwable why) {
        try {
            raw.close();
        } catch (Exception | Error e) {
            why.addSuppressed(e);
        }
    }

    /** For a value of any type: a cursor is lent as a result set. */
    final @Nullable Object wrapValue(@Nullable Object value) throws SQLException {
        exposeIfActing(value);
        return value instanceof ResultSet cursor ? wrap(cursor) : value;
    }

    /** For a value of the type that the borrower asked for. */
    final <T> @Nullable T wrapValue(@Nullable T value, Class<T> type) throws SQLException {
        exposeIfActing(value);
        return value != null && type == ResultSet.class ? type.cast(wrap((ResultSet) value)) : value;
    }

    /** These ask the server by themselves, whichever way the borrower came by them. */
    private void exposeIfActing(@Nullable Object value) {
        if (value instanceof Blob || value instanceof Clob || value instanceof Ref || value instanceof Array) {
            unsure = true;
        }
    }

    private void track(Tracked tracked) throws SQLException {
        if (!isOwner()) {
            synchronized (physical.openOfOthers) {
                physical.openOfOthers.add(tracked);
            }
        } else if (first == null) {
            tracked.slot = Tracked.FIRST;
            first = tracked;
        } else {
            physical.open.add(tracked);
        }
        if (user == ENDED) {
            untrack(tracked);
            throw closedConnection();
        }
    }

    /** What the owner opened and another thread closes stays in the owner's list, which drops it when it is full. */
    final void untrack(Tracked tracked) {
        int slot = tracked.slot;
        if (TrackedList.isOfSeveralThreads(slot)) {
            synchronized (physical.openOfOthers) {
                physical.openOfOthers.remove(tracked);
            }
        } else if (isOwner()) {
            if (slot != Tracked.FIRST) {
                physical.open.remove(tracked);
            } else if (first == tracked) {
                first = null;
            }
        }
        tracked.slot = Tracked.CLOSED;
    }

    /** For a call that is answered without the driver. */
    final void checkOpen() throws SQLException {
        if (hasEnded()) {
            throw closedConnection();
        }
    }

    /** Whether the checkout has ended. */
    final boolean hasEnded() {
        return USER.getOpaque(this) == ENDED;
    }

    private static SQLException closedConnection() {
        return new SQLException("this connection was closed, and is back in its reservoir", "08003");
    }

    /** The error for a use of something closed. */
    final SQLException closed(String what) {
        return hasEnded() ? closedConnection() : new SQLException("this " + what + " was closed", "HY010");
    }

    @Override
    public final String toString() {
        return "WrappedConnection[" + physical + (hasEnded() ? ", closed]" : "]");
    }
}
