package dev.reservoir.remote.pool;

import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.ConnectPlan;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.RemoteFailure;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.SessionObserver;
import dev.reservoir.remote.adapter.SessionStats;
import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A database on virtual time, and its adapter. It may be away, hang, be full, kill its sessions or refuse a login. Its
 * calls block simulated threads. Fails at once if a session is closed twice or there are too many.
 */
final class SimulatedDatabase implements DatabaseAdapter {
    private final SimulatedThreads threads;
    private final SplittableRandom random;

    /** The sessions of users and of checks, from the beginning of their connect. */
    final Set<Session> sessions = new LinkedHashSet<>();

    final Set<Session> monitorSessions = new LinkedHashSet<>();

    /** The remote users that may log in, by local user. The name of a remote user stands for its password as well. */
    final Map<String, String> logins = new HashMap<>();

    /** Local users whose logins are refused. */
    final Set<String> refused = new HashSet<>();

    /** Local users whose credentials cannot be used. */
    final Set<String> unusable = new HashSet<>();

    boolean away;
    boolean hangs;
    boolean full;

    /** How many sessions users may have. */
    int sessionsMax;

    SimulatedDatabase(SimulatedThreads threads, SplittableRandom random) {
        this.threads = threads;
        this.random = random;
    }

    void killSessions() {
        sessions.forEach(session -> session.dead = true);
        monitorSessions.forEach(session -> session.dead = true);
    }

    @Override
    public AdapterSession connect(ServerDefinition server, UserMapping mapping, Duration timeout)
            throws RemoteException {
        return connect(server, mapping, timeout, SessionObserver.NONE);
    }

    @Override
    public AdapterSession connect(
            ServerDefinition server, UserMapping mapping, Duration timeout, SessionObserver observer)
            throws RemoteException {
        plan(server, mapping);
        Session session = new Session(server, mapping, observer == SessionObserver.NONE ? monitorSessions : sessions);
        session.all.add(session);
        if (sessions.size() > sessionsMax) {
            throw new IllegalStateException("max_connections of " + server.name() + " is exceeded: " + sessions.size()
                    + " of " + sessionsMax + " " + sessions);
        }
        boolean opened = false;
        try {
            if (away) {
                throw new RemoteException(RemoteErrorCode.CONNECTION_FAILED, "connection refused");
            }
            // A driver may end a connect that hangs some time after its timeout.
            threads.sleep(
                    hangs
                            ? random.nextLong(timeout.toNanos(), 2 * timeout.toNanos())
                            : random.nextLong(1, 10) * 1_000_000);
            if (hangs || away) {
                throw new RemoteException(RemoteErrorCode.TIMEOUT, "no answer");
            }
            if (full) {
                throw new RemoteException(RemoteErrorCode.POOL_EXHAUSTED, "too many clients");
            }
            String user = mapping.localUser();
            if (refused.contains(user) || !mapping.remoteUser().equals(logins.get(user))) {
                throw new RemoteException(RemoteErrorCode.AUTHENTICATION_FAILED, "wrong password");
            }
            opened = true;
            return session.adapted;
        } finally {
            if (!opened) {
                session.all.remove(session);
            }
        }
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public int defaultPort() {
        return 1;
    }

    @Override
    public String healthQuery() {
        return "SELECT 1";
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of();
    }

    @Override
    public DriverInfo driver(ServerDefinition server) {
        return new DriverInfo("simulated", "none", "none");
    }

    @Override
    public ConnectPlan plan(ServerDefinition server, UserMapping mapping) throws RemoteException {
        if (unusable.contains(mapping.localUser())) {
            throw new RemoteException(RemoteErrorCode.INVALID_OPTION, "the password file cannot be read");
        }
        return new ConnectPlan(driver(server), "jdbc:simulated:", new Properties());
    }

    @Override
    public RemoteFailure classify(SQLException error) {
        return new RemoteFailure(RemoteErrorCode.CONNECTION_FAILED, null, 0, true, true);
    }

    /** One session, as a connection of a driver and as a session of an adapter. */
    final class Session {
        final ServerDefinition server;
        final UserMapping mapping;
        final AdapterSession adapted;
        final Connection raw;
        private final Set<Session> all;
        boolean dead;
        private boolean closed;

        Session(ServerDefinition server, UserMapping mapping, Set<Session> all) {
            this.server = server;
            this.mapping = mapping;
            this.all = all;
            raw = (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {Connection.class, Known.class},
                    (proxy, method, values) -> ofDriver(proxy, method, values));
            adapted = (AdapterSession) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {AdapterSession.class},
                    (proxy, method, values) -> ofAdapter(method, values));
        }

        private Object ofDriver(Object proxy, Method method, Object[] values) {
            return switch (method.getName()) {
                case "session" -> this;
                case "isClosed" -> closed;
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == values[0];
                case "toString" -> "connection of " + mapping;
                case "abort" -> {
                    dead = true;
                    yield null;
                }
                case "close" -> {
                    if (closed || !all.remove(this)) {
                        throw new IllegalStateException("a session of " + mapping + " was closed twice");
                    }
                    closed = true;
                    yield null;
                }
                default -> throw new UnsupportedOperationException(method.getName());
            };
        }

        private Object ofAdapter(Method method, Object[] values) throws RemoteException {
            return switch (method.getName()) {
                case "connection" -> raw;
                case "state" -> dead ? ConnectionState.FAILED : ConnectionState.CONNECTED;
                case "stats" -> new SessionStats(0, 0, 0, 0);
                case "ping" -> {
                    answer((Duration) values[0]);
                    yield null;
                }
                case "reset" -> {
                    answer(Duration.ofSeconds(1));
                    yield ResetResult.CLEAN;
                }
                default -> throw new UnsupportedOperationException(method.getName());
            };
        }

        @Override
        public String toString() {
            return mapping.remoteUser() + "@" + server.host() + (dead ? " dead" : "");
        }

        /** Asks the server. Blocks until it answers, or until the timeout if it hangs. */
        void answer(Duration timeout) throws RemoteException {
            if (closed) {
                throw new IllegalStateException("a closed session of " + mapping + " is in use");
            }
            threads.sleep(hangs ? timeout.toNanos() : 500_000);
            if (hangs || away || dead) {
                dead = true;
                throw new RemoteException(
                        hangs ? RemoteErrorCode.TIMEOUT : RemoteErrorCode.CONNECTION_FAILED, "the session is dead");
            }
        }
    }

    /** Lets a test find the session behind a connection. */
    interface Known {
        Session session();
    }

    /** The session behind a connection that a pool handed out. */
    static Session sessionOf(Connection handedOut) throws SQLException {
        return ((Known) handedOut.unwrap(Connection.class)).session();
    }
}
