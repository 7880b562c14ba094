package dev.reservoir.jdbc.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.config.ServerAgeLimit;
import dev.reservoir.jdbc.error.ConnectErrors;
import dev.reservoir.jdbc.wrap.ConnectionOwner;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Hands out connections of one running reservoir and takes them back. This is the hot path: a checkout costs the
 * acquire of the engine and one new wrapper. Never opens or closes a connection.
 */
public final class CheckoutPath implements ConnectionOwner {
    /**
     * Bounds how many connections one checkout discards if the driver fails to begin a request. Without it, a driver
     * that always fails would empty the reservoir.
     */
    private static final int BEGIN_ATTEMPTS_MAX = 3;

    private final Reservoir<PhysicalConnection> reservoir;
    private final ErrorRule errorRule;
    private final long acquireTimeoutNanos;
    private final @Nullable CheckoutValidation checkoutValidation;
    private final @Nullable ServerAgeLimit serverAgeLimit;
    private final @Nullable InUseWatch inUseWatch;
    private final EventDispatcher lines;

    /**
     * Shared by all checkout paths of this reservoir. A connection reports to the path that handed it out, which may
     * have been replaced since.
     */
    private final AtomicBoolean severalThreads;

    CheckoutPath(
            Reservoir<PhysicalConnection> reservoir,
            ErrorRule errorRule,
            long acquireTimeoutNanos,
            @Nullable CheckoutValidation checkoutValidation,
            @Nullable ServerAgeLimit serverAgeLimit,
            @Nullable InUseWatch inUseWatch,
            EventDispatcher lines,
            AtomicBoolean severalThreads) {
        this.reservoir = reservoir;
        this.errorRule = errorRule;
        this.acquireTimeoutNanos = acquireTimeoutNanos;
        this.checkoutValidation = checkoutValidation;
        this.serverAgeLimit = serverAgeLimit;
        this.inUseWatch = inUseWatch;
        this.lines = lines;
        this.severalThreads = severalThreads;
    }

    /** Acquires a connection for a caller that uses it itself. Blocks for the acquire timeout at most. */
    public Connection acquire() throws SQLException {
        return acquire(acquireTimeoutNanos, false);
    }

    /** Does the same, and blocks for this timeout at most. */
    public Connection acquire(long timeoutNanos) throws SQLException {
        return acquire(timeoutNanos, false);
    }

    /** Acquires a connection that is ready and needs no validation, or returns null. Never blocks. */
    public @Nullable Connection tryAcquire() throws SQLException {
        Pooled<PhysicalConnection> ready = reservoir.tryAcquire();
        if (ready == null) {
            return null;
        }
        if (checkoutValidation != null && checkoutValidation.isDue(ready)) {
            reservoir.release(ready);
            return null;
        }
        return begin(ready, false);
    }

    /** Acquires a connection for a pool on top, which hands it on. Blocks for the timeout at most. */
    public Connection acquireForPool(long timeoutNanos) throws SQLException {
        return acquire(timeoutNanos, true);
    }

    private Connection acquire(long timeoutNanos, boolean underPool) throws SQLException {
        Pooled<PhysicalConnection> pooled;
        try {
            pooled = take(timeoutNanos, underPool);
        } catch (NoConnectionException e) {
            throw ConnectErrors.refusal(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        for (int attempt = 1; ; attempt++) {
            try {
                return begin(pooled, underPool);
            } catch (SQLException e) {
                pooled = another(attempt, underPool, e);
            }
        }
    }

    private Pooled<PhysicalConnection> take(long timeoutNanos, boolean underPool) throws InterruptedException {
        if (checkoutValidation == null) {
            return reservoir.acquire(timeoutNanos);
        }
        return underPool
                ? checkoutValidation.acquireForPool(reservoir, timeoutNanos)
                : checkoutValidation.acquire(reservoir, timeoutNanos);
    }

    /** Begins a checkout, or discards the connection. */
    private Connection begin(Pooled<PhysicalConnection> pooled, boolean underPool) throws SQLException {
        try {
            PhysicalConnection physical = pooled.connection();
            if (physical.pooled != pooled) {
                physical.pooled = pooled;
            }
            if (physical.hasRequests) {
                beginRequest(physical);
            }
            WrappedConnection connection = new WrappedConnection(physical, this, underPool);
            if (inUseWatch != null && !underPool) {
                inUseWatch.began(connection);
            }
            return connection;
        } catch (SQLException | RuntimeException | Error e) {
            reservoir.discard(pooled, DiscardReason.BAD);
            throw e;
        }
    }

    /** Returns another ready connection after the driver failed to begin a request. Waits for its validation only. */
    private Pooled<PhysicalConnection> another(int attempt, boolean underPool, SQLException refusal)
            throws SQLException {
        if (attempt == BEGIN_ATTEMPTS_MAX) {
            throw refusal;
        }
        try {
            return take(0, underPool);
        } catch (NoConnectionException e) {
            refusal.addSuppressed(e);
            throw refusal;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void beginRequest(PhysicalConnection physical) throws SQLException {
        try {
            physical.beginRequest();
        } catch (SQLException e) {
            if (physical.markBad(e) && errorRule.isBad(e)) {
                broken(physical, e);
            }
            throw e;
        }
    }

    @Override
    public void giveBack(PhysicalConnection connection, boolean good, boolean used) {
        if (inUseWatch != null) {
            inUseWatch.ended(connection);
        }
        if (good) {
            reservoir.release(pooled(connection), used);
        } else {
            reservoir.discard(pooled(connection), DiscardReason.BAD);
        }
    }

    @Override
    public void reclaim(PhysicalConnection connection) {
        reservoir.discard(pooled(connection), DiscardReason.ABANDONED);
    }

    @Override
    public void broken(PhysicalConnection connection, SQLException why) {
        if (serverAgeLimit != null) {
            long ageNanos = reservoir.nanos() - pooled(connection).bornNanos();
            serverAgeLimit.explain(why, ageNanos, reservoir.name(), lines::run);
        }
        reservoir.suspectOthers();
    }

    @Override
    public boolean inGuardWindow(PhysicalConnection connection) {
        return reservoir.nanos() >= pooled(connection).usableUntilNanos();
    }

    @Override
    public boolean expectsSeveralThreads() {
        return severalThreads.get();
    }

    @Override
    public void severalThreadsSeen() {
        severalThreads.set(true);
    }

    @Override
    public ErrorRule errorRule() {
        return errorRule;
    }

    /** Returns the entry of the reservoir for a connection that has been handed out before. */
    @SuppressWarnings("unchecked")
    static Pooled<PhysicalConnection> pooled(PhysicalConnection connection) {
        Pooled<PhysicalConnection> pooled = (Pooled<PhysicalConnection>) connection.pooled;
        if (pooled == null) {
            throw new IllegalStateException("bug: " + connection + " was never in use");
        }
        return pooled;
    }

    private static SQLException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new SQLTransientConnectionException(e.getMessage(), "08001", e);
    }
}
