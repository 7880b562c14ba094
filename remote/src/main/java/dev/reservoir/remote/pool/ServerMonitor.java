package dev.reservoir.remote.pool;

import dev.reservoir.core.OpenFailedException;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
 * nothing, and a warning names the mapping. The same holds for a check that never reached the server because the
 * credentials of its mapping cannot be used; the next check uses the next mapping.
 */
public final class ServerMonitor implements HealthTarget {
    private static final Logger log = LoggerFactory.getLogger(ServerMonitor.class);

    /** A shorter time than this is none: drivers count milliseconds. */
    private static final long NO_TIME_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final DatabaseAdapter adapter;
    private final Time time;
    private final Supplier<List<UserMapping>> mappings;
    private final Changes changes;
    private final UserPoolFactory factory;
    private final HealthState state;
    private volatile ServerDefinition server;
    private volatile @Nullable Connection checking;

    /** Guarded by the monitor of this object. */
    private @Nullable UserPool pool;

    private int generation;
    private boolean closed;

    /** Local users whose credentials could not be used since the mappings changed, and those of them to pass over. */
    private final Set<String> warned = new HashSet<>();

    private final Set<String> passedOver = new HashSet<>();

    /** Receives each change of health. Must not block. */
    @FunctionalInterface
    public interface Changes {
        void changed(String server, boolean healthy, @Nullable String reason, Instant at);
    }

    ServerMonitor(
            ServerDefinition server,
            DatabaseAdapter adapter,
            Time time,
            Supplier<List<UserMapping>> mappings,
            Changes changes,
            UserPoolFactory factory) {
        this.server = server;
        this.adapter = adapter;
        this.time = time;
        this.mappings = mappings;
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
        if (leftNanos < NO_TIME_NANOS) {
            probeUnused();
            return;
        }
        Duration left = Duration.ofNanos(leftNanos);
        Duration health = server.health().timeout();
        boolean isShort = left.compareTo(health) < 0;
        long endNanos = time.nanos() + leftNanos;
        try {
            from.sessionOf(connection).ping(isShort ? left : health);
        } catch (RemoteException e) {
            state.probeEnded(false);
            if (!isShort || endNanos - time.nanos() > NO_TIME_NANOS) {
                failed(Text.words(Causes.root(e)));
            }
            // A release would wait for the server again.
            connection.abort(Runnable::run);
            throw e;
        } catch (RuntimeException | Error e) {
            state.probeEnded(false);
            connection.abort(Runnable::run);
            throw e;
        }
        state.probeEnded(true);
        succeeded();
    }

    /** A probe showed nothing about the server. The next caller may be one. */
    void probeUnused() {
        state.probeEnded(true);
    }

    /**
     * A probe got no connection. Only a connect that failed meanwhile says something about the server; a deadline, an
     * interrupt or a limit of this registry does not.
     */
    void probeFailed(UserPool from, SQLException error, boolean connectFailed, long waitedNanos) {
        if (!connectFailed || !Causes.contain(error, OpenFailedException.class)) {
            state.probeEnded(waitedNanos < NO_TIME_NANOS);
            return;
        }
        state.probeEnded(false);
        if (tells(from, error)) {
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
            if (tells(from, e)) {
                throw e;
            }
            return false;
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

    /** Whether an error says that the server does not work. Otherwise logs it. */
    private boolean tells(UserPool from, SQLException error) {
        switch (CheckErrors.of(error, from.mapping())) {
            case ANSWER ->
                log.warn(
                        "Remote: the server answers, but a check could not log in  server={} mapping={} error=\"{}\"",
                        server.name(),
                        from.mapping().localUser(),
                        Text.words(error));
            case OWN_CREDENTIALS -> passOver(from, error);
            case FAILURE -> {
                return true;
            }
        }
        return false;
    }

    /** Makes the next check use another mapping, if there is one. */
    private synchronized void passOver(UserPool from, SQLException error) {
        String user = from.mapping().localUser();
        if (warned.add(user)) {
            log.warn(
                    "Remote: a check did not reach the server, because its mapping cannot be used  server={} mapping={}"
                            + " error=\"{}\"",
                    server.name(),
                    user,
                    Text.words(error));
        }
        if (from == pool) {
            passedOver.add(user);
            var unused = endPool();
        }
    }

    /** Whether there is a mapping for checks. */
    public boolean canLogIn() {
        return !mappings.get().isEmpty();
    }

    private @Nullable UserMapping mapping() {
        List<UserMapping> all = mappings.get();
        if (all.stream().allMatch(one -> passedOver.contains(one.localUser()))) {
            passedOver.clear();
        }
        return all.stream()
                .filter(one -> !passedOver.contains(one.localUser()))
                .findFirst()
                .orElse(null);
    }

    private synchronized @Nullable UserPool pool() {
        UserMapping with = closed || pool != null ? null : mapping();
        if (with != null) {
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
        warned.clear();
        passedOver.clear();
        endPool();
    }

    /** Lets the next check log in anew, if its mapping is another one now. Does not block. */
    synchronized void mappingsChanged() {
        UserPool present = pool;
        List<UserMapping> all = mappings.get();
        if (present == null || all.isEmpty() || !present.mapping().connectsLike(all.get(0))) {
            disconnect();
        }
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
