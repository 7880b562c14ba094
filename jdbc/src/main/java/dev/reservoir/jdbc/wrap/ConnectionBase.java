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
 * One checkout of a {@link PhysicalConnection}. It begins with the constructor and ends with {@link #close},
 * {@link #abort} or {@link #reclaim}, whichever comes first. After that it stays closed, although the connection behind
 * it is handed out again.
 *
 * <p>Each checkout creates a new object, so the object is small. It remembers the first open statement itself, because
 * most checkouts have only one at a time. Everything else that is open is in the lists of the physical connection.
 *
 * <p><b>Threads.</b> No call of a checkout may reach the driver after the checkout has ended, because another caller
 * may have the connection by then. So the thread that ends a checkout must know whether any thread is in a call of the
 * driver. Nearly always one thread makes all calls. For that thread the check must cost nothing, in particular no
 * memory fence in each call. The field {@link #user} tells a thread how it may call:
 *
 * <ul>
 *   <li>{@code FRESH}: no thread has called yet. The first thread that calls becomes the owner, by one atomic step. If
 *       several threads are expected, the state becomes {@code SHARED} instead.
 *   <li>a thread, the owner: it only compares {@code user} with itself. It keeps its notes in plain fields. Any other
 *       thread counts itself in and out atomically, and records what it opens in a separate list.
 *   <li>{@code SHARED}: every thread counts itself in and out.
 *   <li>{@code ENDED}: no thread may call.
 * </ul>
 *
 * <p>A thread that enters first counts itself in and then checks whether the checkout has ended. A thread that ends the
 * checkout first sets {@code ENDED} and then reads the count. So if two threads meet, at least one of them sees the
 * other. If the thread that ends the checkout sees a call in progress, the connection is discarded.
 *
 * <p>The owner is not counted. If the owner ends the checkout, it is not in a call. If another thread ends it, no
 * thread can tell, and the connection is discarded. The reservoir then expects several threads from that moment on:
 * every later checkout is {@code SHARED} from its first call, and its end is always certain. So only connections in use
 * at that moment are discarded for this reason, once in the life of a reservoir.
 *
 * <p>This class and {@link SettingsBase} hold the parts of a wrapped connection that do more than pass a call on. The
 * rest is generated.
 */
abstract class ConnectionBase implements Connection {
    private static final Object FRESH = new Object();
    private static final Object SHARED = new Object();
    private static final Object ENDED = new Object();
    private static final VarHandle USER;

    /** Made in advance, for the case that no memory or stack is left to make a more specific one. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // never thrown
    private static final SQLException SOME_ERROR = new SQLException("a call on the connection threw an Error", "HY000");

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
    private final ConnectionOwner owner;
    private Object user = FRESH;

    /** Belongs to the owner. No other thread may touch it or {@link PhysicalConnection#open}. */
    private @Nullable Tracked first;

    /** Whether the caller ran anything, and whether it did so after the last commit or rollback. */
    private byte ran;

    /**
     * Whether some actions may have gone unseen here, because the caller holds an object of the driver or because
     * threads met.
     */
    private boolean unsure;

    /** Whether threads met while one of them changed a setting, so that the value to restore is not known. */
    private boolean settingsUnsure;

    /** Whether the caller is another pool. It hands the connection on and needs to know when to replace it. */
    private final boolean underPool;

    ConnectionBase(PhysicalConnection physical, ConnectionOwner owner, boolean underPool) {
        this.physical = physical;
        this.owner = owner;
        this.underPool = underPool;
    }

    // Every call of the driver is between enter and leave. A call that may wait for the server is also between begin
    // and end.

    /** Begins a call of the driver, or throws if the checkout has ended. {@link #leave} must follow. */
    final void enter() throws SQLException {
        if (user != Thread.currentThread() && !enterAsOther()) {
            throw closedConnection();
        }
    }

    /**
     * Begins a call that has no purpose after the end of the checkout. Returns whether the call may continue; if so,
     * {@link #leave} must follow.
     */
    final boolean tryEnter() {
        return user == Thread.currentThread() || enterAsOther();
    }

    private boolean enterAsOther() {
        Object now = USER.getVolatile(this);
        if (now == FRESH) {
            Object wanted = underPool || owner.expectsSeveralThreads() ? SHARED : Thread.currentThread();
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

    /**
     * Counts this thread in after it saw the checkout in this state. If the checkout has ended since, counts the thread
     * out again and returns false.
     */
    final boolean countIn(Object seen) {
        int others = physical.enter();
        if (USER.getVolatile(this) == ENDED) {
            physical.leave();
            return false;
        }
        if (others != 0 || seen != SHARED) {
            // The transaction notes of this thread and of a thread that it meets may overwrite each other.
            unsure = true;
        }
        return true;
    }

    /**
     * Ends a call of the driver. If another thread has ended the checkout of its owner, the count may be wrong, but
     * nothing needs it then.
     */
    final void leave() {
        if (!isOwner()) {
            physical.leave();
        }
    }

    /**
     * Whether this thread, which must have entered, is the owner. Any other thread has counted itself. So a count of
     * zero means that this thread is the owner, which is the usual case.
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

    /** Returns the connection of the driver while the checkout lasts. */
    final Connection open() throws SQLException {
        enter();
        return physical.raw;
    }

    /** Does the same for a call that may wait for the server. */
    final Connection call() throws SQLException {
        enter();
        begin();
        return physical.raw;
    }

    /** Does the same for a call that may leave a transaction open. */
    final Connection run() throws SQLException {
        enter();
        running();
        return physical.raw;
    }

    /**
     * Does the same for a call that gives the caller an object of the driver that can start a transaction by itself.
     */
    final Connection expose() throws SQLException {
        enter();
        unsure = true;
        return physical.raw;
    }

    /** Does the same for a call that changes a setting. */
    final Connection change() throws SQLException {
        enter();
        begin();
        if (!isOwner()) {
            changeAsOther();
        }
        return physical.raw;
    }

    /**
     * If two threads meet, the later one notices it. The owner never notices, so any thread that is not the owner has
     * to assume a meeting.
     */
    private void changeAsOther() {
        if (user != SHARED) {
            settingsUnsure = true;
            owner.severalThreadsSeen();
        } else if (physical.entered() > 1) {
            settingsUnsure = true;
        }
    }

    /** Notes that a call begins that may wait and may open a transaction. */
    final void running() {
        begin();
        ran = USED_IN_TRANSACTION;
    }

    /** Notes that a transaction may be open now. */
    final void ran() {
        ran = USED_IN_TRANSACTION;
    }

    /** Notes that the caller is about to hold an object of the driver. */
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
                physical.markBad(
                        new SQLException("one thread may have closed the connection while another used it", "HY000"));
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
            owner.giveBack(physical, good, ran != 0);
        }
    }

    /** Whether it is certain that no thread is in a call, now that the checkout has ended. */
    private boolean isLeft(Object was) {
        if (was == FRESH) {
            return true;
        }
        if (was != SHARED && was != Thread.currentThread()) {
            owner.severalThreadsSeen();
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

    /**
     * Ends the checkout at once, even while another thread is stuck in a call. The connection is not handed out again.
     */
    @Override
    public final void abort(Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort: executor is null; allowed: an executor", "HY000");
        }
        if (USER.getAndSet(this, ENDED) == ENDED) {
            return;
        }
        try {
            physical.markBad(new SQLException("the caller aborted the connection", "HY000"));
            physical.raw.abort(executor);
        } finally {
            physical.markBad(SOME_ERROR);
            owner.giveBack(physical, false, ran != 0);
        }
    }

    /**
     * Takes the connection from a caller that seems to have forgotten it. Runs on another thread than the caller's. The
     * connection is closed, even if the caller is in a call.
     *
     * @return false if the checkout had ended already
     */
    public final boolean reclaim() {
        if (USER.getAndSet(this, ENDED) == ENDED) {
            return false;
        }
        try {
            physical.markBad(new SQLException("the connection was in use for longer than abandonedTimeout", "HY000"));
        } finally {
            physical.markBad(SOME_ERROR);
            owner.reclaim(physical);
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
            throw failed(e);
        }
        broken(new SQLException("the driver has closed the connection", "08003"));
        return true;
    }

    /**
     * Returns whether the connection works. For a pool on top, also returns false in the guard window, so that the pool
     * replaces the connection in time. Blocks while the driver asks the server.
     */
    @Override
    public final boolean isValid(int timeoutSeconds) throws SQLException {
        if (timeoutSeconds < 0) {
            throw new SQLException("isValid: timeout is " + timeoutSeconds + " s; allowed: 0 or more", "HY000");
        }
        if (physical.whyBad() != null || (underPool && owner.inGuardWindow(physical)) || !tryEnter()) {
            return false;
        }
        running();
        try {
            if (physical.raw.isValid(timeoutSeconds)) {
                return true;
            }
        } catch (SQLException | Error e) {
            throw failed(e);
        } finally {
            end();
        }
        broken(new SQLException("isValid returned false within " + timeoutSeconds + " s", "08006"));
        return false;
    }

    /**
     * Classifies an error of the driver, for the calling method to throw. Throws an {@link Error} itself. After that
     * the state of the driver is not known, so the connection is not handed out again.
     */
    final SQLException failed(Throwable e) {
        if (e instanceof SQLException error) {
            if (!hasEnded() && isBad(error)) {
                broken(error);
            }
            return error;
        }
        physical.markBad(because(e));
        throw (Error) e;
    }

    /** A call of the driver that is too rare to be written out. */
    @FunctionalInterface
    interface Call<R extends @Nullable Object> {
        R run() throws SQLException;
    }

    /** Makes a call of the driver after {@link #enter}, classifies its error, and leaves. */
    final <R extends @Nullable Object> R leaving(Call<R> call) throws SQLException {
        try {
            return call.run();
        } catch (SQLException | Error e) {
            throw failed(e);
        } finally {
            leave();
        }
    }

    /** A call of the driver without a result. */
    @FunctionalInterface
    interface Action {
        void run() throws SQLException;
    }

    final void leaveAfter(Action action) throws SQLException {
        leaving(() -> {
            action.run();
            return true;
        });
    }

    /** Does the same after {@link #begin}, and ends the call. */
    final <R extends @Nullable Object> R ending(Call<R> call) throws SQLException {
        try {
            return call.run();
        } catch (SQLException | Error e) {
            throw failed(e);
        } finally {
            end();
        }
    }

    private static SQLException because(Throwable error) {
        try {
            return new SQLException(
                    "a call on the connection threw an Error: "
                            + error.getClass().getName(),
                    "HY000",
                    error);
        } catch (Error again) {
            return SOME_ERROR;
        }
    }

    private void broken(SQLException why) {
        if (physical.markBad(why)) {
            owner.broken(physical, why);
        }
    }

    /** A rule that fails must not hide the error that it was asked about. */
    private boolean isBad(SQLException e) {
        try {
            return owner.errorRule().isBad(e);
        } catch (RuntimeException ruleFailed) {
            return ErrorRule.standard().isBad(e);
        }
    }

    final WrappedStatement wrap(Statement raw) throws SQLException {
        try {
            return tracked(new WrappedStatement(this, raw));
        } catch (SQLException | RuntimeException | Error e) {
            throw halfMade(raw, e);
        }
    }

    final WrappedPreparedStatement wrap(PreparedStatement raw) throws SQLException {
        try {
            return tracked(new WrappedPreparedStatement(this, raw));
        } catch (SQLException | RuntimeException | Error e) {
            throw halfMade(raw, e);
        }
    }

    final WrappedCallableStatement wrap(CallableStatement raw) throws SQLException {
        try {
            return tracked(new WrappedCallableStatement(this, raw));
        } catch (SQLException | RuntimeException | Error e) {
            throw halfMade(raw, e);
        }
    }

    /** Wraps a result set that belongs to no statement of the caller. */
    final @Nullable WrappedResultSet wrap(@Nullable ResultSet raw) throws SQLException {
        if (raw == null) {
            return null;
        }
        try {
            return new WrappedResultSet(tracked(new UnownedResultSet(this, raw)), raw);
        } catch (SQLException | RuntimeException | Error e) {
            throw halfMade(raw, e);
        }
    }

    /** Closes an object that the driver made and that the caller will never see. Throws what is not checked itself. */
    private static SQLException halfMade(AutoCloseable raw, Throwable why) {
        try {
            raw.close();
        } catch (Exception | Error e) {
            why.addSuppressed(e);
        }
        if (why instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (why instanceof Error error) {
            throw error;
        }
        return (SQLException) why;
    }

    /** Wraps a value of any type. A cursor becomes a wrapped result set. */
    final @Nullable Object wrapValue(@Nullable Object value) throws SQLException {
        exposeIfActing(value);
        return value instanceof ResultSet cursor ? wrap(cursor) : value;
    }

    /** Wraps a value of the type that the caller asked for. */
    final <T> @Nullable T wrapValue(@Nullable T value, Class<T> type) throws SQLException {
        exposeIfActing(value);
        return value != null && type == ResultSet.class ? type.cast(wrap((ResultSet) value)) : value;
    }

    /** These objects can send queries to the server by themselves, no matter how the caller got them. */
    private void exposeIfActing(@Nullable Object value) {
        if (value instanceof Blob || value instanceof Clob || value instanceof Ref || value instanceof Array) {
            unsure = true;
        }
    }

    private <T extends Tracked> T tracked(T tracked) throws SQLException {
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
        return tracked;
    }

    /**
     * If another thread closes an object that the owner opened, the object stays in the owner's list. The list drops it
     * when it is full.
     */
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

    /** Throws if the checkout has ended. For a call that does not need the driver. */
    final void checkOpen() throws SQLException {
        if (hasEnded()) {
            throw closedConnection();
        }
    }

    final boolean hasEnded() {
        return USER.getOpaque(this) == ENDED;
    }

    private static SQLException closedConnection() {
        return new SQLException("this connection is closed: its caller released it", "08003");
    }

    /** Returns the error for the use of a closed object. */
    final SQLException closed(String what) {
        return hasEnded() ? closedConnection() : new SQLException("this " + what + " was closed", "HY010");
    }

    @Override
    public final String toString() {
        return "WrappedConnection[" + physical + (hasEnded() ? ", closed]" : "]");
    }
}
