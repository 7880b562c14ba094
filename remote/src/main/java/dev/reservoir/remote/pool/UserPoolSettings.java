package dev.reservoir.remote.pool;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.Targets;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.model.ExhaustionPolicy;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Translates the options of a server into settings of the JDBC door. Holds nothing. */
final class UserPoolSettings {
    /** Longest guard window: a checkout in the last seconds of a connection's life is rare, and costs little. */
    private static final Duration GUARD_MAX = Duration.ofSeconds(10);

    /** The lifetime of connections that are not replaced because of their age: the longest that the engine allows. */
    private static final Duration FOR_EVER = Duration.ofDays(365);

    private UserPoolSettings() {}

    /**
     * How many connections a pool holds. The leases of the server are the real limit. A pool opens connections for
     * callers that wait, and up to its minimum.
     */
    static Targets targets(PoolConfiguration pool) {
        int max = Math.max(pool.maxConnections() + overflow(pool), 1);
        return new Targets(max, 0, 0, Math.min(max, pool.minConnections()));
    }

    /** How many places beyond the maximum exist for a short time. */
    static int overflow(PoolConfiguration pool) {
        return pool.exhaustionPolicy() == ExhaustionPolicy.OVERFLOW ? pool.overflowMax() : 0;
    }

    /** How many connections a new pool opens at once. Its first caller needs one. */
    static int firstConnections(PoolConfiguration pool) {
        int warm = pool.warmupOnCreate() ? pool.warmupConnections() : 0;
        return Math.max(1, Math.max(pool.minConnections(), warm));
    }

    /** Starts the data source of a user pool on real threads. Does not block, except to load a driver. */
    static ReservoirDataSource start(UserPoolFactory.Parts parts) {
        ReservoirDataSourceBuilder builder = builder(
                        parts.name(), parts.server(), parts.adapter(), parts.isMonitor(), parts.targets())
                .dataSource(parts.connections())
                .connectionReset(parts.connections()::reset)
                .listener(parts.records());
        if (parts.permits() != null) {
            builder.permits(parts.permits());
        }
        if (parts.share() != null) {
            builder.leases(parts.share());
        }
        return builder.build();
    }

    private static ReservoirDataSourceBuilder builder(
            String name, ServerDefinition server, DatabaseAdapter adapter, boolean isMonitor, Targets targets) {
        PoolConfiguration pool = server.pool();
        Duration lifetime = pool.maxLifetime().isZero() ? FOR_EVER : pool.maxLifetime();
        Duration guard = lifetime.dividedBy(20);
        boolean findsLeaks = !isMonitor && !pool.leakDetectionThreshold().isZero();
        return ReservoirDataSource.builder()
                .name(name)
                .jmx(false)
                .maxOpen(targets.maxOpen())
                .targetReady(targets.targetReady())
                .lowWatermark(0)
                .minOpen(targets.minOpen())
                .initialFillTimeout(Duration.ZERO)
                .refillPacing(RefillPacing.OFF)
                // Lifetimes end between 90 % and 100 % of the maximum, so that connections do not expire together.
                .baseLifetime(atLeastMilli(lifetime.dividedBy(20).multipliedBy(19)))
                .lifetimeJitter(lifetime.dividedBy(10))
                .guardWindow(guard.compareTo(GUARD_MAX) < 0 ? guard : GUARD_MAX)
                // The leases of the server leave no room for successors beyond the maximum.
                .successorAllowance(0)
                .idleTimeout(isMonitor ? Duration.ZERO : pool.idleTimeout())
                .connectTimeout(pool.connectTimeout())
                .acquireTimeout(pool.acquireTimeout())
                .opensInFlightMax(targets.maxOpen())
                // The server's pool keeps fail_fast: it knows whether other users leave a place.
                .exhaustion(Exhaustion.WAIT)
                .validation(validation(pool, isMonitor))
                .validationIdle(pool.validationInterval())
                .leakDetectionThreshold(findsLeaks ? pool.leakDetectionThreshold() : Duration.ZERO)
                .tracksCheckouts(findsLeaks)
                .connectErrorRule(UserPoolSettings::reason)
                .errorRule((ErrorRule) error ->
                        adapter.classify(error).fatal() || ErrorRule.standard().isBad(error));
    }

    private static Validation validation(PoolConfiguration pool, boolean isMonitor) {
        if (isMonitor) {
            return Validation.BACKGROUND;
        }
        if (pool.validateOnAcquire()) {
            return Validation.CHECKOUT;
        }
        return pool.validationInterval().isZero() ? Validation.BACKGROUND : Validation.IDLE;
    }

    private static Duration atLeastMilli(Duration duration) {
        return duration.toMillis() < 1 ? Duration.ofMillis(1) : duration;
    }

    /** Tells the engine what a failed connect means. The engine knows the causes of other errors itself. */
    static @Nullable OpenFailureReason reason(SQLException error) {
        return error instanceof RemoteException failed
                ? switch (failed.code()) {
                    case AUTHENTICATION_FAILED -> OpenFailureReason.AUTHENTICATION;
                    case TIMEOUT -> OpenFailureReason.CONNECT_TIMEOUT;
                    case POOL_EXHAUSTED -> OpenFailureReason.SERVER_FULL;
                    default -> null;
                }
                : null;
    }
}
