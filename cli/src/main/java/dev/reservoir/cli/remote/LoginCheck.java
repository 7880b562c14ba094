package dev.reservoir.cli.remote;

import dev.reservoir.core.util.Text;
import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.adapter.SessionInfo;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Checks one server with one user mapping: connects, asks for the version, pings, and runs the health query. Runs on a
 * thread of its own, because a driver may hang in spite of its timeouts. Each step has a deadline, after which
 * {@link #giveUp} ends the check for its caller.
 */
final class LoginCheck {
    /** How much longer than its own timeout a step may take. Drivers count in whole seconds, rounded up. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private enum Step {
        CONNECT("the connect"),
        ASK("the question for the version"),
        PING("the ping"),
        HEALTH_QUERY("the health query");

        private final String words;

        Step(String words) {
            this.words = words;
        }
    }

    /** A step that is under way. */
    private record Running(Step step, Duration limit, long deadlineNanos) {}

    @FunctionalInterface
    private interface Action<T extends @Nullable Object> {
        T run() throws RemoteException;
    }

    private final ServerDefinition server;
    private final UserMapping mapping;
    private final Adapters adapters;
    private final AtomicBoolean ended = new AtomicBoolean();

    // Written by the thread of the check, and read by the one that gives up.

    private volatile Running running;
    private volatile @Nullable AdapterSession session;
    private volatile @Nullable SessionInfo info;
    private volatile @Nullable Long connectNanos;
    private volatile @Nullable Long pingNanos;
    private volatile @Nullable Long healthQueryNanos;

    LoginCheck(ServerDefinition server, UserMapping mapping, Adapters adapters) {
        this.server = server;
        this.mapping = mapping;
        this.adapters = adapters;
        this.running = begun(Step.CONNECT, server.pool().connectTimeout());
    }

    String server() {
        return server.name();
    }

    /** Starts the clock of the first step. Called before the thread of the check starts. */
    void begin() {
        running = begun(Step.CONNECT, server.pool().connectTimeout());
    }

    /** Runs the check. Blocks. Returns null if somebody gave up meanwhile. */
    @Nullable
    CheckResult run() {
        String problem = null;
        try {
            ask();
        } catch (RemoteException e) {
            problem = Text.shortLine(String.valueOf(e.getMessage()));
        } catch (RuntimeException | LinkageError e) {
            problem = RemoteErrorCode.PROTOCOL_ERROR.code() + ": the driver failed: " + Text.oneLine(e);
        } finally {
            AdapterSession open = session;
            if (open != null) {
                open.close();
            }
        }
        return ended.compareAndSet(false, true) ? result(problem) : null;
    }

    private void ask() throws RemoteException {
        Duration connectLimit = server.pool().connectTimeout();
        Duration limit = server.health().timeout();
        DatabaseAdapter adapter = adapters.find(server);
        // Loads the driver, which is no part of a connect.
        adapter.driver(server);
        long began = System.nanoTime();
        AdapterSession open = step(Step.CONNECT, connectLimit, () -> adapter.connect(server, mapping, connectLimit));
        session = open;
        connectNanos = System.nanoTime() - began;
        open.setQueryTimeout(limit);
        info = step(Step.ASK, limit, open::info);
        pingNanos = timed(Step.PING, limit, () -> {
            open.ping(limit);
            return open;
        });
        healthQueryNanos = timed(Step.HEALTH_QUERY, limit, () -> open.query(server.healthQuery()));
    }

    private long timed(Step step, Duration limit, Action<?> action) throws RemoteException {
        long began = System.nanoTime();
        step(step, limit, action);
        return System.nanoTime() - began;
    }

    private <T extends @Nullable Object> T step(Step step, Duration limit, Action<T> action) throws RemoteException {
        running = begun(step, limit);
        return action.run();
    }

    private static Running begun(Step step, Duration limit) {
        Duration most = limit.plus(GRACE);
        return new Running(step, most, System.nanoTime() + most.toNanos());
    }

    boolean isOverdue(long nowNanos) {
        return nowNanos - running.deadlineNanos() > 0;
    }

    /** Ends the check, although its thread may hang. Does not block. Returns null if it has ended by itself. */
    @Nullable
    CheckResult giveUp() {
        if (!ended.compareAndSet(false, true)) {
            return null;
        }
        Running last = running;
        return result(RemoteErrorCode.TIMEOUT.code() + ": " + server.name() + ": " + last.step().words
                + " did not end within " + Text.nanos(last.limit().toNanos()));
    }

    private CheckResult result(@Nullable String problem) {
        SessionInfo known = info;
        return new CheckResult(
                server.name(),
                server.type().label(),
                known == null ? null : version(known),
                mapping.localUser(),
                mapping.remoteUser(),
                known == null ? null : known.encrypted(),
                connectNanos,
                pingNanos,
                healthQueryNanos,
                problem);
    }

    /** Name and version. Some databases repeat their name in the version. */
    private static String version(SessionInfo info) {
        String version = Text.shortLine(info.version());
        return version.startsWith(info.product()) ? version : info.product() + " " + version;
    }
}
