package dev.reservoir.jdbc;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lends connections of one running reservoir and takes them back. This is the hot path: a checkout is the engine's and one new
 * handle. Never opens or closes a connection.
 */
final class Lender implements Home {
    /** A checkout costs at most this many connections if the driver does not begin requests, so that a refusal for good ends. */
    private static final int BEGIN_ATTEMPTS_MAX = 3;

    private final Reservoir<PhysicalConnection> reservoir;
    private final ErrorRule errorRule;
    private final long acquireTimeoutNanos;
    private final @Nullable CheckoutProof checkoutProof;
    private final @Nullable ServerAgeLimit serverAgeLimit;
    private final @Nullable InUseWatch inUseWatch;

    /** The one of all lenders of this reservoir, since a connection tells the lender that it came from. */
    private final AtomicBoolean severalThreads;

    Lender(
            Reservoir<PhysicalConnection> reservoir,
            ErrorRule errorRule,
            long acquireTimeoutNanos,
            @Nullable CheckoutProof checkoutProof,
            @Nullable ServerAgeLimit serverAgeLimit,
            @Nullable InUseWatch inUseWatch,
            AtomicBoolean severalThreads) {
        this.reservoir = reservoir;
        this.errorRule = errorRule;
        this.acquireTimeoutNanos = acquireTimeoutNanos;
        this.checkoutProof = checkoutProof;
        this.serverAgeLimit = serverAgeLimit;
        this.inUseWatch = inUseWatch;
        this.severalThreads = severalThreads;
    }

    /** Acquires a connection for a caller that uses it itself. */
    Connection lend() throws SQLException {
        return lend(acquireTimeoutNanos, false);
    }

    /** Acquires a connection for a pool on top, which hands it on. */
    Connection lendToPool(long timeoutNanos) throws SQLException {
        return lend(timeoutNanos, true);
    }

    private Connection lend(long timeoutNanos, boolean underPool) throws SQLException {
        Pooled<PhysicalConnection> pooled;
        try {
            pooled = acquire(timeoutNanos, underPool);
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

    private Pooled<PhysicalConnection> acquire(long timeoutNanos, boolean underPool) throws InterruptedException {
        if (checkoutProof == null) {
            return reservoir.acquire(timeoutNanos);
        }
        return underPool
                ? checkoutProof.acquireForPool(reservoir, timeoutNanos)
                : checkoutProof.acquire(reservoir, timeoutNanos);
    }

    /** Begins a checkout, or gives the connection up. */
    private Connection begin(Pooled<PhysicalConnection> pooled, boolean underPool) throws SQLException {
        try {
            PhysicalConnection physical = pooled.connection();
            if (physical.seat != pooled) {
                physical.seat = pooled;
            }
            if (physical.hasRequests) {
                beginRequest(physical);
            }
            LentConnection lent = new LentConnection(physical, this, underPool);
            if (inUseWatch != null && !underPool) {
                inUseWatch.began(lent);
            }
            return lent;
        } catch (SQLException | RuntimeException | Error e) {
            reservoir.discard(pooled, DiscardReason.BAD);
            throw e;
        }
    }

    /** Another connection that is ready, after the driver refused to begin a request. Waits for its validation only. */
    private Pooled<PhysicalConnection> another(int attempt, boolean underPool, SQLException refusal)
            throws SQLException {
        if (attempt == BEGIN_ATTEMPTS_MAX) {
            throw refusal;
        }
        try {
            return acquire(0, underPool);
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
            reservoir.release(seat(connection), used);
        } else {
            reservoir.discard(seat(connection), DiscardReason.BAD);
        }
    }

    @Override
    public void reclaim(PhysicalConnection connection) {
        reservoir.discard(seat(connection), DiscardReason.ABANDONED);
    }

    @Override
    public void broken(PhysicalConnection connection, SQLException why) {
        if (serverAgeLimit != null) {
            serverAgeLimit.explain(why, reservoir.nanos() - seat(connection).bornNanos(), reservoir.name());
        }
        reservoir.suspectOthers();
    }

    @Override
    public boolean inGuardWindow(PhysicalConnection connection) {
        return reservoir.nanos() >= seat(connection).lendUntilNanos();
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

    /** Where the reservoir keeps a connection that has been lent before. */
    @SuppressWarnings("unchecked")
    static Pooled<PhysicalConnection> seat(PhysicalConnection connection) {
        Pooled<PhysicalConnection> pooled = (Pooled<PhysicalConnection>) connection.seat;
        if (pooled == null) {
            throw new IllegalStateException("bug: " + connection + " was never lent");
        }
        return pooled;
    }

    private static SQLException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new SQLTransientConnectionException(e.getMessage(), "08001", e);
    }
}
