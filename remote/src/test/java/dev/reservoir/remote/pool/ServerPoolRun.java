package dev.reservoir.remote.pool;

import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.remote.health.HealthChecker;
import dev.reservoir.remote.model.HealthCheckConfig;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One server with its real pools, monitor and checks on virtual time, and the callers of its users. Each caller checks
 * the promises that concern it: the deadline, the credentials, and a refusal at once by an unhealthy server.
 */
final class ServerPoolRun {
    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;
    static final Duration ACQUIRE_TIMEOUT = Duration.ofSeconds(3);
    static final Duration IDLE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration DRAIN_MAX = Duration.ofSeconds(30);

    /** How long connections beyond a lowered maximum may stay: until their callers release them. */
    private static final long RECALL_NANOS = 3 * SECOND;

    final String name;
    final SimulatedDatabase database;
    final ServerPool pool;
    final Map<String, User> users = new LinkedHashMap<>();
    private final VirtualTime time;
    private final SimulatedThreads threads;
    private final Consumer<String> history;

    /** Runs while a ready connection is handed out. */
    Runnable handingOut = () -> {};

    /** Counts the changes of server and mappings, which may make a caller begin again. */
    private int changes;

    private int hosts;
    private long recallEndsNanos;

    ServerPoolRun(
            String name,
            int max,
            VirtualTime time,
            SimulatedThreads threads,
            SplittableRandom random,
            Consumer<String> history)
            throws RemoteException {
        this.name = name;
        this.time = time;
        this.threads = threads;
        this.history = history;
        database = new SimulatedDatabase(threads, random.split());
        database.sessionsMax = max;
        ServerDefinition definition = ServerDefinition.builder(name, RemoteDatabaseType.POSTGRESQL)
                .host("h0")
                .pool(PoolConfiguration.builder()
                        .minConnections(0)
                        .maxConnections(max)
                        .connectTimeout(Duration.ofSeconds(1))
                        .acquireTimeout(ACQUIRE_TIMEOUT)
                        .idleTimeout(IDLE_TIMEOUT)
                        .build())
                .health(HealthCheckConfig.builder()
                        .interval(Duration.ofSeconds(1))
                        .timeout(Duration.ofMillis(500))
                        .build())
                .build();
        SplittableRandom ofPools = random.split();
        pool = new ServerPool(
                definition,
                database,
                time,
                (server, healthy, reason, at) -> note(healthy ? "healthy" : "unhealthy: " + reason),
                DRAIN_MAX,
                parts -> new SimulatedDataSource(parts, time, threads, ofPools.split(), () -> handingOut.run()));
        lookAgain();
    }

    private void lookAgain() {
        time.start(SECOND, () -> {
            pool.look();
            lookAgain();
        });
    }

    private void note(String event) {
        history.accept(time.nanos() + " " + name + " " + event);
    }

    // Changes.

    User addUser(String user) {
        User added = new User(user);
        users.put(user, added);
        added.addMapping();
        return added;
    }

    /** Changes max_connections. */
    void resize(int max) {
        if (max < pool.definition().pool().maxConnections()) {
            recallEndsNanos = time.nanos() + RECALL_NANOS;
        }
        database.sessionsMax = Math.max(max, pool.held());
        update(definition -> definition.pool(
                pool.definition().pool().toBuilder().maxConnections(max).build()));
    }

    /** Moves the server to another host. */
    void move() {
        hosts++;
        update(definition -> definition.host("h" + hosts));
    }

    private void update(Change change) {
        changes++;
        note("altered");
        try {
            pool.update(change.apply(pool.definition().toBuilder()).build());
        } catch (RemoteException e) {
            throw new IllegalStateException(e);
        }
    }

    @FunctionalInterface
    private interface Change {
        ServerDefinition.Builder apply(ServerDefinition.Builder definition) throws RemoteException;
    }

    void watch(HealthChecker checker) {
        checker.add(pool.monitor());
    }

    // Promises that hold at every step.

    void check() {
        int max = pool.definition().pool().maxConnections();
        int held = pool.held();
        if (time.nanos() >= recallEndsNanos) {
            database.sessionsMax = max;
            require(held <= max, held + " places of " + max);
        }
        require(database.sessions.size() <= held, database.sessions.size() + " sessions, but " + held + " places");
        require(database.monitorSessions.size() <= 2, database.monitorSessions.size() + " sessions of checks");
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(name + " at " + time.nanos() / MS + " ms: " + what);
        }
    }

    /** A local user, and its callers. */
    final class User {
        final String user;
        int served;
        int broken;

        /** Refusals other than those of an unhealthy server and of a missing mapping. */
        int refused;

        int refusedUnhealthy;
        String lastRefusal = "";
        boolean isGreedy;
        private boolean hasMapping;
        private int logins;

        User(String user) {
            this.user = user;
        }

        /** Adds the mapping, or gives it other credentials. The database takes only these from now on. */
        void addMapping() {
            changes++;
            hasMapping = true;
            String remote = user + "-" + ++logins;
            database.logins.put(user, remote);
            note("mapping " + remote);
            try {
                pool.setMapping(
                        UserMapping.builder(name, user).remoteUser(remote).build());
            } catch (RemoteException e) {
                throw new IllegalStateException(e);
            }
        }

        void removeMapping() {
            changes++;
            hasMapping = false;
            note("no mapping for " + user);
            pool.removeMapping(user);
        }

        /** Starts callers that acquire, use, release and pause until the end. */
        void start(int callers, long holdNanos, long pauseNanos, long untilNanos) {
            for (int i = 0; i < callers; i++) {
                threads.execute(() -> {
                    while (time.nanos() < untilNanos) {
                        call(holdNanos);
                        threads.sleep(pauseNanos);
                    }
                });
            }
        }

        private void call(long holdNanos) {
            long begun = time.nanos();
            int changesBefore = changes;
            int loginsBefore = logins;
            int hostsBefore = hosts;
            try {
                Connection connection = acquire();
                require(time.nanos() - begun <= ACQUIRE_TIMEOUT.toNanos() + MS, user + " waited past its deadline");
                SimulatedDatabase.Session session = SimulatedDatabase.sessionOf(connection);
                require(session.mapping.localUser().equals(user), user + " got a session of " + session.mapping);
                int login = Integer.parseInt(session.mapping.remoteUser().substring(user.length() + 1));
                int host = Integer.parseInt(session.server.host().substring(1));
                require(login >= loginsBefore && host >= hostsBefore, user + " got a session of old credentials");
                use(connection, session, holdNanos);
            } catch (RemoteException e) {
                refused(e, time.nanos() - begun, changes != changesBefore);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Acquires as the registry does: a ready connection of a healthy server, or else slowly. */
        private Connection acquire() throws RemoteException {
            Connection ready = pool.isHealthy() ? pool.pool(user).tryAcquire() : null;
            return ready != null ? ready : pool.acquire(user, ACQUIRE_TIMEOUT).connection();
        }

        private void use(Connection connection, SimulatedDatabase.Session session, long holdNanos) throws SQLException {
            threads.sleep(holdNanos);
            @Nullable RemoteException failed = null;
            try {
                session.answer(Duration.ofSeconds(1));
            } catch (RemoteException e) {
                failed = e;
            }
            connection.close();
            if (failed == null) {
                served++;
            } else {
                broken++;
            }
            note(user + (failed == null ? " served" : " broken"));
        }

        private void refused(RemoteException e, long waitedNanos, boolean changedMeanwhile) {
            note(user + " refused " + e.code());
            require(waitedNanos <= ACQUIRE_TIMEOUT.toNanos() + MS, user + " waited past its deadline: " + e);
            if (e.code() == RemoteErrorCode.SERVER_UNAVAILABLE) {
                require(waitedNanos == 0 || changedMeanwhile, user + " waited for an unhealthy server");
                refusedUnhealthy++;
            } else if (e.code() == RemoteErrorCode.USER_MAPPING_NOT_FOUND) {
                require(!hasMapping || changedMeanwhile, user + " has a mapping, but: " + e);
            } else {
                refused++;
                lastRefusal = String.valueOf(e.getMessage());
            }
        }
    }
}
