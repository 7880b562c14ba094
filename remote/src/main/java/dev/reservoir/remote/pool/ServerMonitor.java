package dev.reservoir.remote.pool;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.core.util.Text;
import dev.reservoir.remote.ServerHealth;
import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.health.HealthState;
import dev.reservoir.remote.health.HealthTarget;
import dev.reservoir.remote.model.HealthCheckConfig;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks one server and refuses callers while it is unhealthy. {@link HealthState} decides.
 *
 * <p>Checks use one connection of their own, with the monitor mapping. It does not take a place of
 * {@code max_connections}: checks must work while all places are taken. So the server sees at most one connection more
 * than {@code max_connections}.
 *
 * <p>A server that answers a check with a refused login, or says that it is full, does answer. Such a check changes
 * nothing, and a warning names the mapping.
 */
public final class ServerMonitor implements HealthTarget {
    private static final Logger log = LoggerFactory.getLogger(ServerMonitor.class);

    private final DatabaseAdapter adapter;
    private final Time time;
    private final Supplier<@Nullable UserMapping> mapping;
    private final Changes changes;
    private final UserPoolFactory factory;
    private final HealthState state;
    private volatile ServerDefinition server;
    private volatile @Nullable Connection checking;

    /** Guarded by the monitor of this object. */
    private @Nullable UserPool pool;

    private int generation;
    private boolean closed;

    /** Receives each change of health. Must not block. */
    @FunctionalInterface
    public interface Changes {
        void changed(String server, boolean healthy, @Nullable String reason, Instant at);
    }

    ServerMonitor(
            ServerDefinition server,
            DatabaseAdapter adapter,
            Time time,
            Supplier<@Nullable UserMapping> mapping,
            Changes changes,
            UserPoolFactory factory) {
        this.server = server;
        this.adapter = adapter;
        this.time = time;
        this.mapping = mapping;
        this.changes = changes;
        this.factory = factory;
        HealthCheckConfig health = server.health();
        state = new HealthState(
                time.nanos(),
                health.failureThreshold(),
                health.recoveryThreshold(),
                health.interval().toNanos());
    }

    boolean isHealthy() {
        return state.isHealthy();
    }

    // Callers.

    /**
     * Lets a caller pass, or refuses it because the server is unhealthy. Returns true if the caller is a probe:
     * {@link #probed}, {@link #probeFailed} or {@link #probeUnused} must follow.
     */
    boolean admit() throws RemoteException {
        if (state.isHealthy()) {
            return false;
        }
        long now = time.nanos();
        if (state.tryProbe(now)) {
            return true;
        }
        HealthState.Snapshot seen = state.snapshot(now);
        if (seen.healthy()) {
            return false;
        }
        throw new RemoteException(
                RemoteErrorCode.SERVER_UNAVAILABLE,
                "server " + server.name() + " is unhealthy since " + ago(seen.sinceNanos()) + " ("
                        + DurationText.formatMillis(seen.sinceNanos()) + "): " + seen.reason()
                        + ". The next caller may try in " + DurationText.formatMillis(seen.nextProbeNanos()));
    }

    /**
     * A probe got this connection. Throws, and ends the connection, if the server does not answer on it in time. A
     * caller without time left gets the connection as it is, because that shows nothing about the server.
     */
    void probed(UserPool from, Connection connection, long leftNanos) throws SQLException {
        if (leftNanos < TimeUnit.MILLISECONDS.toNanos(1)) {
            probeUnused();
            return;
        }
        Duration left = Duration.ofNanos(leftNanos);
        Duration health = server.health().timeout();
        boolean works = false;
        try {
            from.sessionOf(connection).ping(left.compareTo(health) < 0 ? left : health);
            works = true;
        } finally {
            if (!works) {
                // A release would wait for the server again.
                connection.abort(Runnable::run);
            }
        }
        state.probeEnded(true);
        succeeded();
    }

    /** A probe showed nothing about the server. The next caller may be one. */
    void probeUnused() {
        state.probeEnded(true);
    }

    void probeFailed(SQLException error) {
        state.probeEnded(false);
        if (isAnswer(error)) {
            warnOfAnswer(error);
        } else {
            failed(Text.words(Causes.root(error)));
        }
    }

    // Checks.

    @Override
    public String name() {
        return server.name();
    }

    @Override
    public HealthCheckConfig health() {
        return server.health();
    }

    @Override
    public boolean check(Duration timeout) throws SQLException {
        UserPool from = pool();
        if (from == null) {
            return false;
        }
        // The acquire ends a little before the check does, so that its reason is known.
        try (Connection connection = from.acquire(timeout.dividedBy(5).multipliedBy(4))) {
            checking = connection;
            ask(from.sessionOf(connection), timeout);
            return true;
        } catch (SQLException e) {
            if (from.isRetired()) {
                // A change ended the check.
                return false;
            }
            if (isAnswer(e)) {
                warnOfAnswer(e);
                return false;
            }
            throw e;
        } finally {
            checking = null;
        }
    }

    private void ask(AdapterSession session, Duration timeout) throws RemoteException {
        switch (server.health().type()) {
            case PING -> session.ping(timeout);
            case QUERY -> {
                session.setQueryTimeout(timeout);
                session.query(server.healthQuery());
            }
            case FULL_VALIDATE -> {
                session.reset();
                session.setQueryTimeout(timeout);
                session.query(server.healthQuery());
            }
        }
    }

    /** Whether the server is there, although it lets nobody in. */
    private static boolean isAnswer(SQLException error) {
        for (Throwable t : Causes.of(error)) {
            if (t instanceof RemoteException failed) {
                return failed.code() == RemoteErrorCode.AUTHENTICATION_FAILED
                        || failed.code() == RemoteErrorCode.PERMISSION_DENIED
                        || failed.code() == RemoteErrorCode.POOL_EXHAUSTED;
            }
        }
        return false;
    }

    private void warnOfAnswer(SQLException error) {
        UserMapping used = mapping.get();
        log.warn(
                "Remote: the server answers, but a check could not log in  server={} mapping={} error=\"{}\"",
                server.name(),
                used == null ? "none" : used.localUser(),
                Text.words(error));
    }

    private synchronized @Nullable UserPool pool() {
        UserMapping with = closed ? null : mapping.get();
        if (pool == null && with != null) {
            generation++;
            String number = generation == 1 ? "" : "-" + generation;
            String base = server.name().replaceAll("[^A-Za-z0-9._-]", "_");
            pool = new UserPool(
                    base.substring(0, Math.min(80, base.length())) + ".health-check" + number,
                    adapter,
                    server,
                    with,
                    null,
                    null,
                    null,
                    time,
                    factory);
        }
        return pool;
    }

    @Override
    public void abortCheck() {
        Connection hanging = checking;
        if (hanging != null) {
            try {
                hanging.abort(Runnable::run);
            } catch (SQLException e) {
                log.debug("Remote: a hanging check could not be aborted  server={}", server.name(), e);
            }
        }
    }

    @Override
    public void succeeded() {
        if (state.succeeded(time.nanos())) {
            changed(true, null);
        }
    }

    @Override
    public void failed(String reason) {
        if (state.failed(time.nanos(), reason)) {
            changed(false, reason);
        }
    }

    // Changes.

    /** Makes the server healthy. */
    public void markHealthy() {
        if (state.markHealthy(time.nanos())) {
            changed(true, null);
        }
    }

    /** Makes the server unhealthy. It recovers like one that checks found unhealthy. */
    public void markUnhealthy(String reason) {
        if (state.markUnhealthy(time.nanos(), reason)) {
            changed(false, reason);
        }
    }

    private void changed(boolean healthy, @Nullable String reason) {
        changes.changed(server.name(), healthy, reason, Instant.now());
    }

    void update(ServerDefinition changed) {
        boolean connectsLike = server.connectsLike(changed);
        server = changed;
        HealthCheckConfig health = changed.health();
        state.configure(
                health.failureThreshold(),
                health.recoveryThreshold(),
                health.interval().toNanos());
        if (!connectsLike) {
            // The health of the old server says nothing about the new one.
            markHealthy();
        }
        disconnect();
    }

    /** Closes the connection of the checks. The next check logs in anew. Does not block. */
    public synchronized void disconnect() {
        endPool();
    }

    private CompletionStage<Void> endPool() {
        UserPool old = pool;
        pool = null;
        return old == null ? CompletableFuture.completedFuture(null) : old.retire(Duration.ofSeconds(1));
    }

    synchronized CompletionStage<Void> close() {
        closed = true;
        return endPool();
    }

    ServerHealth report() {
        HealthState.Snapshot seen = state.snapshot(time.nanos());
        return new ServerHealth(
                server.name(),
                seen.healthy(),
                seen.reason(),
                ago(seen.sinceNanos()),
                seen.checkedNanos() < 0 ? null : ago(seen.checkedNanos()),
                seen.failuresInARow(),
                seen.successesInARow(),
                seen.checks(),
                seen.failedChecks());
    }

    private static Instant ago(long nanos) {
        return Instant.now().minusNanos(nanos).truncatedTo(ChronoUnit.MILLIS);
    }
}
