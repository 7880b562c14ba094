package dev.reservoir.remote;

import dev.reservoir.core.time.SystemTime;
import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.health.HealthChecker;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.pool.ServerPool;
import dev.reservoir.remote.sql.Catalog;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connection pools to many servers, for many users. Each server has one limit for all its users, and each of its user
 * mappings one pool. A process can have several registries; {@link #instance} is the one that most applications need.
 *
 * <p>These methods block: {@link #acquire} if no connection is ready, {@link #checkNow}, {@link #warmupServer},
 * {@link #resize}, {@link #unregisterServer} and {@link #close}. The others do not, except that reports take locks for
 * a moment and that a release waits for the reset of the session.
 */
public final class RemoteConnectionPoolRegistry implements AutoCloseable {
    /** The name of {@link #instance}. */
    public static final String DEFAULT_NAME = "default";

    /** How long {@link #close()} waits for connections in use. */
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final String name;
    private final SystemTime time;
    private final RegistryThreads threads;
    private final HealthChecker checker;
    private final CatalogPools pools;
    private final Map<String, ServerPool> servers;
    private final Catalog catalog;
    private final AcquireRoutes routes = new AcquireRoutes();
    private final PoolSizing sizing;
    private final RegistryLifecycle lifecycle;

    private RemoteConnectionPoolRegistry(String name, Adapters adapters) {
        this.name = name;
        time = new SystemTime("reservoir-remote-" + name);
        threads = new RegistryThreads(name);
        checker = new HealthChecker(time, threads.checks());
        pools = new CatalogPools(adapters, checker, this::pool, DRAIN);
        servers = pools.pools();
        catalog = new Catalog(InstantSource.system(), pools);
        catalog.addListener(pools);
        sizing = new PoolSizing(time);
        lifecycle = new RegistryLifecycle(name, time, servers.values(), routes);
    }

    /** Creates a registry. Connects to nothing. */
    public static RemoteConnectionPoolRegistry create(String name) {
        return create(name, Adapters.installed());
    }

    /**
     * Creates a registry with these adapters.
     *
     * @throws IllegalStateException if a registry of this name exists and is not closed
     */
    public static RemoteConnectionPoolRegistry create(String name, Adapters adapters) {
        RemoteConnectionPoolRegistry created = new RemoteConnectionPoolRegistry(name, adapters);
        if (!RegistryNames.add(created)) {
            created.end();
            throw new IllegalStateException("a registry named " + name + " exists; allowed: another name, or close it");
        }
        return created;
    }

    /** The default registry. The first call creates it. After it was closed, the next call creates another one. */
    public static RemoteConnectionPoolRegistry instance() {
        return RegistryNames.findOrCreate(
                DEFAULT_NAME, key -> new RemoteConnectionPoolRegistry(key, Adapters.installed()));
    }

    /** The registry of this name, or null. {@link #DEFAULT_NAME} always exists. */
    public static @Nullable RemoteConnectionPoolRegistry named(String name) {
        return name.equals(DEFAULT_NAME) ? instance() : RegistryNames.find(name);
    }

    public String name() {
        return name;
    }

    // Servers and mappings.

    /**
     * Adds a server. Connects to nothing until a user needs a connection.
     *
     * @throws RemoteException RD032 if a server of this name exists, or no adapter for its type; RD001 if there is no
     *     driver for it, with the artifact to add
     */
    public void registerServer(ServerDefinition server) throws RemoteException {
        checkOpen();
        catalog.createServer(server);
    }

    private ServerPool pool(ServerDefinition server, Adapters adapters) {
        try {
            return new ServerPool(server, adapters.find(server), time, this::healthChanged);
        } catch (RemoteException e) {
            throw new IllegalStateException("bug: the catalog accepted a server without an adapter", e);
        }
    }

    /**
     * Replaces the definition of a server. Connections that would be opened otherwise now drain: idle ones close now,
     * those in use on release. Does not wait for that.
     */
    public void updateServer(ServerDefinition server) throws RemoteException {
        ServerPool pool = server(server.name());
        if (pool.definition().type() != server.type()) {
            throw new RemoteException(
                    RemoteErrorCode.INVALID_OPTION,
                    "server " + server.name() + " is of type "
                            + pool.definition().type().label() + "; allowed: the same type. Unregister it first");
        }
        catalog.alterServer(server);
    }

    /** Does the same as {@link #unregisterServer(String, Duration)} with a drain time of 10 seconds. */
    public void unregisterServer(String server) throws RemoteException {
        unregisterServer(server, DRAIN);
    }

    /**
     * Removes a server and its mappings. Refuses new acquires at once, waits for connections in use until the deadline,
     * and then closes them under their callers.
     */
    public void unregisterServer(String server, Duration drain) throws RemoteException {
        ServerPool pool = server(server);
        pools.remove(pool);
        try {
            catalog.dropServer(server, true);
        } finally {
            // Also if SQL has dropped the server meanwhile: it no longer found the pool.
            lifecycle.closeAndAwait(List.of(pool), drain);
        }
    }

    /** Adds a mapping to its server. RD032 if the local user has one there. */
    public void addMapping(UserMapping mapping) throws RemoteException {
        server(mapping.server());
        catalog.createMapping(mapping);
    }

    /** Replaces a mapping. If it logs in otherwise than before, old connections drain. RD031 if there is none. */
    public void updateMapping(UserMapping mapping) throws RemoteException {
        server(mapping.server());
        catalog.alterMapping(mapping);
    }

    /** Removes a mapping. Its connections drain. RD031 if there is none. */
    public void removeMapping(String server, String localUser) throws RemoteException {
        server(server);
        catalog.dropMapping(server, localUser);
    }

    /** The servers and mappings. Changes of the catalog are changes of this registry, and the other way round. */
    public Catalog catalog() {
        return catalog;
    }

    /** The names of all servers, in order. */
    public List<String> serverNames() {
        return List.copyOf(new TreeMap<>(servers).keySet());
    }

    public ServerDefinition serverDefinition(String server) throws RemoteException {
        return server(server).definition();
    }

    /** The mappings of a server, in the order of their local users. */
    public List<UserMapping> mappings(String server) throws RemoteException {
        return server(server).mappings();
    }

    private ServerPool server(String server) throws RemoteException {
        ServerPool pool = servers.get(server);
        if (pool == null) {
            throw unknown(server);
        }
        return pool;
    }

    private RemoteException unknown(String server) {
        return new RemoteException(
                RemoteErrorCode.SERVER_NOT_FOUND,
                "there is no server named " + server + "; registered: " + (servers.isEmpty() ? "none" : serverNames())
                        + (isClosed() ? ". The registry " + name + " is closed" : ""));
    }

    private void checkOpen() {
        if (isClosed()) {
            throw new IllegalStateException("the registry " + name + " is closed");
        }
    }

    // Acquire and release.

    /** Acquires a connection, and waits for the server's {@code acquire_timeout} at most. */
    public PooledRemoteConnection acquire(String server, String localUser) throws RemoteException {
        return acquire(server, localUser, null);
    }

    /**
     * Acquires a connection to a server for a local user. Returns at once if one is ready. Otherwise waits, and never
     * past the timeout.
     *
     * @param timeout null for the server's {@code acquire_timeout}
     * @throws RemoteException RD030 unknown server; RD031 no mapping; RD005 no connection became free in time, with the
     *     limit and the numbers; RD006 the server is unhealthy; RD002 the server refuses the login; RD001 and others if
     *     connects fail
     */
    public PooledRemoteConnection acquire(String server, String localUser, @Nullable Duration timeout)
            throws RemoteException {
        AcquireRoutes.Route route = route(server, localUser);
        Connection ready = route == null ? null : route.tryAcquire();
        if (route != null && ready != null) {
            return new PooledRemoteConnection(route, ready);
        }
        ServerPool pool = server(server);
        ServerPool.Acquired acquired = acquireSlowly(pool, localUser, timeout);
        return new PooledRemoteConnection(
                new AcquireRoutes.Route(server, localUser, pool, acquired.pool()), acquired.connection());
    }

    /** Does the same for callers that need JDBC only. */
    Connection connection(String server, String localUser, @Nullable Duration timeout) throws RemoteException {
        AcquireRoutes.Route route = route(server, localUser);
        Connection ready = route == null ? null : route.tryAcquire();
        return ready != null
                ? ready
                : acquireSlowly(server(server), localUser, timeout).connection();
    }

    /** The pools of this user, or null if the server is unhealthy. */
    private AcquireRoutes.@Nullable Route route(String server, String localUser) throws RemoteException {
        AcquireRoutes.Route known = routes.find(server, localUser);
        return known != null ? known : newRoute(server, localUser);
    }

    private AcquireRoutes.@Nullable Route newRoute(String server, String localUser) throws RemoteException {
        ServerPool pool = server(server);
        return pool.isHealthy()
                ? routes.add(new AcquireRoutes.Route(server, localUser, pool, pool.pool(localUser)))
                : null;
    }

    private static ServerPool.Acquired acquireSlowly(ServerPool pool, String localUser, @Nullable Duration timeout)
            throws RemoteException {
        Duration longest = timeout == null ? pool.definition().pool().acquireTimeout() : timeout;
        return pool.acquire(localUser, RegistryLifecycle.bounded(longest));
    }

    /** Gives a connection back. Does the same as {@link PooledRemoteConnection#release}. */
    public void release(PooledRemoteConnection connection) {
        connection.release();
    }

    /** A data source of this server for one local user. It looks up server and user at each acquire. */
    public DataSource dataSource(String server, String localUser) {
        return dataSource(server, () -> localUser);
    }

    /** A data source whose local user is asked for at each acquire, for example the one that is logged in. */
    public DataSource dataSource(String server, Supplier<String> localUser) {
        return new RemoteDataSource(this, server, localUser);
    }

    // Operations on pools.

    /**
     * Opens connections until the server has this many, spread over its mappings, as far as {@code max_connections}
     * allows. Blocks until they are open, for {@code connect_timeout} at most. Returns whether they are.
     */
    public boolean warmupServer(String server, int count) throws RemoteException {
        return sizing.warmUp(server(server), count);
    }

    /** Closes idle connections, down to {@code min_connections} of each user. Returns how many. */
    public int evictIdleConnections(String server) throws RemoteException {
        return server(server).evictIdle();
    }

    /** Closes all connections of a server: idle ones now, those in use on release. */
    public void closeAllConnections(String server) throws RemoteException {
        server(server).closeAll();
    }

    /**
     * Validates each connection of a server that is open now, before it is handed out again. Does not wait for that.
     * Those that fail are closed and counted as validation failures.
     */
    public void validateAll(String server) throws RemoteException {
        server(server).validateAll();
    }

    /**
     * Replaces one connection, so that its session is new: now if it is idle, on release if it is in use. Returns false
     * if the server has no connection with this id.
     */
    public boolean resetConnection(String server, long id) throws RemoteException {
        return server(server).closeConnection(id);
    }

    /** Opens or closes idle connections until the server has this many. Returns whether it has, or soon will. */
    public boolean resize(String server, int target) throws RemoteException {
        return sizing.resize(server(server), target);
    }

    /** Changes {@code min_connections}. */
    public void setMinConnections(String server, int min) throws RemoteException {
        server(server);
        catalog.alterPool(server, pool -> pool.minConnections(min));
    }

    /** Changes {@code max_connections}. With a lower one, idle connections close now and others on release. */
    public void setMaxConnections(String server, int max) throws RemoteException {
        server(server);
        catalog.alterPool(server, pool -> pool.maxConnections(max));
    }

    // Health.

    public boolean isServerHealthy(String server) throws RemoteException {
        return server(server).isHealthy();
    }

    public ServerHealth serverHealth(String server) throws RemoteException {
        return server(server).health();
    }

    /**
     * Makes a server unhealthy: acquires fail at once with RD006. It recovers by itself like one that checks found
     * unhealthy.
     */
    public void markUnhealthy(String server, String reason) throws RemoteException {
        server(server).monitor().markUnhealthy(reason);
    }

    public void markHealthy(String server) throws RemoteException {
        server(server).monitor().markHealthy();
    }

    /** Begins to check each server at its interval. */
    public void startHealthChecker() {
        checkOpen();
        checker.start();
    }

    /** Stops the regular checks, and closes their connections. */
    public void stopHealthChecker() {
        checker.stop();
        servers.values().forEach(pool -> pool.monitor().disconnect());
    }

    /**
     * Checks a server now. Blocks for {@code health_check_timeout} at most. Returns whether the server answered as it
     * should. So false does not always mean that the server failed: it may have no mapping, or it refused the login of
     * the check, or is full. Such a check is not counted in {@link #serverHealth}.
     */
    public boolean checkNow(String server) throws RemoteException {
        ServerPool pool = server(server);
        Duration timeout = pool.definition().health().timeout().plusSeconds(1);
        try {
            return checker.check(pool.monitor()).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("bug: a check ended without a result", e);
        }
    }

    public void addHealthListener(HealthListener listener) {
        threads.add(listener);
    }

    public void removeHealthListener(HealthListener listener) {
        threads.remove(listener);
    }

    private void healthChanged(String server, boolean healthy, @Nullable String reason, Instant at) {
        threads.tell(new HealthEvent(server, healthy, reason, at));
    }

    // Reports.

    /** One server, at one instant. */
    public ServerPoolStats serverStats(String server) throws RemoteException {
        return server(server).stats();
    }

    /** Times and traffic of one server. */
    public ServerMeasurements serverMeasurements(String server) throws RemoteException {
        return server(server).measurements();
    }

    /** All servers, in the order of their names, each at one instant. */
    public List<ServerPoolStats> allServerStats() {
        return new TreeMap<>(servers).values().stream().map(ServerPool::stats).toList();
    }

    /** All servers together. */
    public RegistryStats stats() {
        return RegistryStats.of(allServerStats());
    }

    /** The open connections of a server. */
    public List<ConnectionDetails> connections(String server) throws RemoteException {
        return server(server).connections();
    }

    // End.

    public boolean isClosed() {
        return lifecycle.isClosed();
    }

    /** Does the same as {@link #close(Duration)} with a drain time of 10 seconds. */
    @Override
    public void close() {
        close(DRAIN);
    }

    /**
     * Unregisters all servers, waits for connections in use until the deadline, then closes those under their callers.
     */
    public void close(Duration drain) {
        lifecycle.close();
        pools.close();
        checker.stop();
        List<ServerPool> ending = List.copyOf(servers.values());
        ending.forEach(pools::remove);
        lifecycle.closeAndAwait(ending, drain);
        end();
        RegistryNames.remove(this);
    }

    private void end() {
        lifecycle.close();
        threads.close();
        time.close();
    }

    @Override
    public String toString() {
        return "RemoteConnectionPoolRegistry[" + name + ", " + servers.size() + " servers]";
    }
}
