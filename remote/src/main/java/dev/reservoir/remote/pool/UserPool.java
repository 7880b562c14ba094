package dev.reservoir.remote.pool;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.UserPoolStats;
import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.adapter.SessionObserver;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one mapping to one definition of a server. It is a data source of the JDBC door. Definition and
 * mapping never change: a change of either makes a new pool, and the old one drains. So no caller gets a connection
 * with old credentials.
 */
public final class UserPool {
    private final ServerDefinition server;
    private final UserMapping mapping;
    private final AdapterConnections connections;
    private final ConnectionRecords records;
    private final ReservoirDataSource dataSource;
    private final ServerLeases.@Nullable Share share;
    private final @Nullable ServerMeter meter;
    private volatile boolean retired;

    // For the regular look of the server's pool, and guarded by its lock.

    private Targets targets;
    private boolean raised;
    private long raisedUntilNanos;
    private long busyNanos;
    private long lastEmpties;

    /**
     * Starts the pool. Does not block, except to load a driver.
     *
     * @param share the source of leases; null for the one connection of health checks
     * @param meter measures what the connections do; null for the one connection of health checks
     * @param factory makes the data source
     */
    UserPool(
            String name,
            DatabaseAdapter adapter,
            ServerDefinition server,
            UserMapping mapping,
            ServerLeases.@Nullable Share share,
            @Nullable Permits permits,
            @Nullable ServerMeter meter,
            Time time,
            UserPoolFactory factory) {
        long nowNanos = time.nanos();
        this.server = server;
        this.mapping = mapping;
        this.share = share;
        this.meter = meter;
        connections =
                new AdapterConnections(adapter, server, mapping, meter == null ? SessionObserver.NONE : meter, share);
        records = new ConnectionRecords(share, meter, time);
        boolean isMonitor = share == null;
        targets = isMonitor ? new Targets(1, 0, 0, 0) : UserPoolSettings.targets(server.pool());
        int first = isMonitor ? 1 : UserPoolSettings.firstConnections(server.pool());
        raised = first > targets.minOpen();
        raisedUntilNanos = nowNanos + TimeUnit.NANOSECONDS.convert(server.pool().connectTimeout());
        busyNanos = nowNanos;
        dataSource = factory.start(
                new UserPoolFactory.Parts(name, server, adapter, withMin(first), connections, records, share, permits));
        if (share != null) {
            share.countedBy(dataSource::counts);
        }
    }

    public ServerDefinition server() {
        return server;
    }

    public UserMapping mapping() {
        return mapping;
    }

    /** Acquires a connection that is ready, or returns null at once. Never blocks, except if the pool just retired. */
    public @Nullable Connection tryAcquire() {
        try {
            Connection ready = dataSource.tryConnection();
            if (ready != null && retired) {
                // It was handed over before the pool noticed its own end. Its credentials may be old.
                ready.close();
                return null;
            }
            return ready;
        } catch (SQLException e) {
            // The driver failed to begin a request. The connection is discarded, and the next one may work.
            return null;
        }
    }

    /** Acquires a connection. Blocks for the timeout at most. */
    Connection acquire(Duration timeout) throws SQLException {
        return dataSource.getConnection(timeout);
    }

    /** The adapter's session behind a connection in use. */
    public AdapterSession sessionOf(Connection handedOut) throws RemoteException {
        return connections.sessionOf(handedOut);
    }

    /** Closes this connection when its user releases it. */
    public void discardOnRelease(Connection handedOut) throws SQLException {
        dataSource.evict(handedOut);
    }

    /** Notes that a connection in use is broken. {@link #failedReleased} must follow. */
    public void failed() {
        if (meter != null) {
            meter.failed();
        }
    }

    /** Notes that a broken connection was released. */
    public void failedReleased() {
        if (meter != null) {
            meter.failedReleased();
        }
    }

    /** Whether the pool was replaced or removed, so that callers must look for another one. */
    public boolean isRetired() {
        return retired;
    }

    /**
     * Hands out nothing more and closes each connection when it is released, at the latest at the end of the drain
     * time. Does not block.
     */
    CompletionStage<Void> retire(Duration drain) {
        retired = true;
        return dataSource.closeAsync(drain);
    }

    /** Retires all connections: idle ones now, those in use on release. Does not block. */
    void closeAll() {
        dataSource.flush();
    }

    /** Retires the connection with this id. Returns false if there is none. */
    boolean close(long id) {
        Pooled<Object> pooled = records.find(id);
        if (pooled != null) {
            dataSource.evict(pooled);
        }
        return pooled != null;
    }

    /** Validates each connection before it is handed out again. Does not block. */
    void validateAll() {
        dataSource.validateAll();
    }

    Counts counts() {
        return dataSource.counts();
    }

    int openOrOpening() {
        Counts counts = dataSource.counts();
        return counts.size() + counts.opening();
    }

    /**
     * Opens connections until there are this many, as far as places are free. They stay until they are idle for long.
     */
    void warmUp(int count, long nowNanos) {
        raised = true;
        raisedUntilNanos =
                nowNanos + 2 * TimeUnit.NANOSECONDS.convert(server.pool().connectTimeout());
        dataSource.setTargets(withMin(count));
    }

    /** Ends a warm-up, so that connections which are closed now are not opened again. */
    void endWarmUp() {
        if (raised && records.hasOpened()) {
            setTargets(targets);
        }
    }

    /** Applies another minimum and maximum. */
    void setTargets(Targets changed) {
        targets = changed;
        raised = false;
        if (share != null) {
            share.setMin(changed.minOpen());
        }
        dataSource.setTargets(changed);
    }

    private Targets withMin(int count) {
        int min = Math.min(targets.maxOpen(), Math.max(count, targets.minOpen()));
        return new Targets(targets.maxOpen(), targets.targetReady(), targets.lowWatermark(), min);
    }

    /**
     * Ends a warm-up that is complete. Returns whether nobody has used or needed the pool for {@code idle_timeout}, and
     * it has no connection. Until the first connection is open, the pool keeps trying, so that it finds out when a
     * refused login works.
     */
    boolean look(long nowNanos) {
        Counts counts = dataSource.counts();
        if (nowNanos >= raisedUntilNanos) {
            endWarmUp();
        }
        // Statistics would tell as well. But they cost some 30 kB of garbage, and this runs every second.
        long empties = records.empties();
        if (counts.size() > 0 || counts.waiting() > 0 || empties != lastEmpties) {
            busyNanos = nowNanos;
        }
        lastEmpties = empties;
        Duration idle = server.pool().idleTimeout();
        return !idle.isZero() && nowNanos - busyNanos >= TimeUnit.NANOSECONDS.convert(idle);
    }

    /** How many checkouts were attempted. */
    long attempts() {
        Stats stats = dataSource.stats();
        return stats.checkouts() + stats.empties();
    }

    List<ConnectionDetails> details() {
        return records.details(server.name(), mapping, retired, this::sessionOf);
    }

    private @Nullable AdapterSession sessionOf(Pooled<Object> pooled) {
        Connection driver = dataSource.driverConnection(pooled);
        return driver == null ? null : connections.find(driver);
    }

    /** All numbers, taken at one instant. */
    UserPoolStats stats() {
        Stats stats = dataSource.stats();
        int active = stats.inUse() + stats.overflow();
        int idle = stats.ready() + stats.validating();
        long[] queries = connections.queries();
        boolean hasMeans = server.pool().collectStatistics();
        return new UserPoolStats(
                server.name(),
                mapping.localUser(),
                mapping.remoteUser(),
                active + idle,
                active,
                idle,
                stats.opening(),
                stats.waiting(),
                stats.checkouts(),
                Math.max(0, stats.checkouts() - active),
                stats.opened(),
                stats.closed(),
                stats.timeouts(),
                failedConnects(stats),
                stats.discards().getOrDefault(DiscardReason.VALIDATION_FAILED, 0L),
                queries[0],
                queries[1],
                hasMeans ? records.meanLifetimeSeconds() : 0,
                hasMeans ? meanMillis(stats) : 0);
    }

    /** How many connects failed, without those that this registry did not begin. */
    long failedConnects() {
        return failedConnects(dataSource.stats());
    }

    private static long failedConnects(Stats stats) {
        return stats.openFailures().entrySet().stream()
                .filter(entry -> entry.getKey() != OpenFailureReason.LEASE_ACQUIRE
                        && entry.getKey() != OpenFailureReason.RATE_LIMIT)
                .mapToLong(entry -> entry.getValue())
                .sum();
    }

    private static double meanMillis(Stats stats) {
        long count = stats.checkoutTime().count();
        return count == 0 ? 0 : stats.checkoutTime().sumNanos() / 1e6 / count;
    }

    @Override
    public String toString() {
        return "UserPool[" + mapping + (retired ? ", draining]" : "]");
    }
}
