package dev.reservoir.remote.pool;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.ServerHealth;
import dev.reservoir.remote.ServerMeasurements;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.UserPoolStats;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.model.ExhaustionPolicy;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The pools of one server: one for each mapping that is in use, and the limit that they share. Never opens a connection
 * itself.
 *
 * <p>An acquire looks up the pool without a lock. Changes take the lock. A change replaces a pool: new callers find the
 * new one, callers that wait in the old one are sent to the new one, and connections in use close on release.
 */
public final class ServerPool {
    /**
     * Longest time that a replaced pool waits for connections in use. Whatever a caller still holds then is most likely
     * forgotten, and the place is needed.
     */
    private static final Duration DRAIN_MAX = Duration.ofHours(1);

    /**
     * How long a place that became idle may stay unnoticed while a caller of another user waits. Looks this often only
     * while callers wait.
     */
    private static final long LOOK_SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How many looks pass between two looks for activity, which cost more. */
    private static final int LOOKS_PER_ACTIVITY = 10;

    private final String name;
    private final DatabaseAdapter adapter;
    private final Time time;
    private final ServerLeases leases;
    private final ServerMonitor monitor;
    private final ServerMeter meter;
    private final ServerTotals totals = new ServerTotals();
    private final Duration drainMax;
    private final UserPoolFactory factory;

    /** Guards every change. Held for short computations only, except while a driver is loaded. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<String, UserMapping> mappings = new ConcurrentHashMap<>();

    /** The pools by the local user of their mapping. */
    private final Map<String, UserPool> pools = new ConcurrentHashMap<>();

    private final Set<UserPool> draining = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> generations = new HashMap<>();
    private volatile ServerDefinition definition;
    private @Nullable Permits permits;
    private volatile boolean closed;
    private int looks;
    private final AtomicBoolean looksSoon = new AtomicBoolean();

    /**
     * Makes the pools of a server. Connects to nothing yet.
     *
     * @param healthChanges receives each change of health; must not block
     */
    public ServerPool(
            ServerDefinition definition, DatabaseAdapter adapter, Time time, ServerMonitor.Changes healthChanges) {
        this(definition, adapter, time, healthChanges, DRAIN_MAX, UserPoolFactory.ON_THREADS);
    }

    /** Does the same with another limit for the drain of replaced pools and other data sources, for tests. */
    ServerPool(
            ServerDefinition definition,
            DatabaseAdapter adapter,
            Time time,
            ServerMonitor.Changes healthChanges,
            Duration drainMax,
            UserPoolFactory factory) {
        this.drainMax = drainMax;
        this.factory = factory;
        this.name = definition.name();
        this.definition = definition;
        this.adapter = adapter;
        this.time = time;
        meter = new ServerMeter();
        leases = new ServerLeases(
                name,
                definition.pool().maxConnections(),
                UserPoolSettings.overflow(definition.pool()),
                this::lookAtLeasesSoon);
        permits = permitsOf(definition);
        monitor = new ServerMonitor(definition, adapter, time, this::monitorMappings, healthChanges, factory);
    }

    private @Nullable Permits permitsOf(ServerDefinition server) {
        int rate = server.pool().connectionRateLimit();
        return rate == 0 ? null : new LocalPermits(rate, Math.max(1, rate / 10), time);
    }

    public String name() {
        return name;
    }

    public ServerDefinition definition() {
        return definition;
    }

    /** The health of the server, and its checks. */
    public ServerMonitor monitor() {
        return monitor;
    }

    public boolean isHealthy() {
        return monitor.isHealthy();
    }

    // Acquire.

    /**
     * The pool for this local user.
     *
     * @throws RemoteException RD031 if the user has no mapping and there is none for all; RD030 if the server was
     *     removed
     */
    public UserPool pool(String localUser) throws RemoteException {
        UserPool pool = pools.get(localUser);
        return pool != null ? pool : findOrStart(localUser);
    }

    private UserPool findOrStart(String localUser) throws RemoteException {
        UserMapping mapping = mappingFor(localUser);
        UserPool shared = pools.get(mapping.localUser());
        return shared != null ? shared : start(localUser);
    }

    private UserMapping mappingFor(String localUser) throws RemoteException {
        UserMapping own = mappings.get(localUser);
        UserMapping mapping = own != null ? own : mappings.get(UserMapping.PUBLIC);
        if (mapping == null) {
            throw new RemoteException(
                    RemoteErrorCode.USER_MAPPING_NOT_FOUND,
                    "server " + name + " has no user mapping for " + localUser + " and none for PUBLIC; mappings exist"
                            + " for " + (mappings.isEmpty() ? "nobody" : new TreeMap<>(mappings).keySet())
                            + ". Add one with CREATE USER MAPPING");
        }
        return mapping;
    }

    private UserPool start(String localUser) throws RemoteException {
        lock.lock();
        try {
            checkOpen();
            UserMapping mapping = mappingFor(localUser);
            UserPool present = pools.get(mapping.localUser());
            if (present != null) {
                return present;
            }
            // An option that the driver does not know fails here, and not after each connect.
            adapter.plan(definition, mapping);
            int generation = generations.merge(mapping.localUser(), 1, Integer::sum);
            ServerLeases.Share share =
                    leases.join(mapping.localUser(), definition.pool().minConnections());
            UserPool started = new UserPool(
                    poolName(mapping.localUser(), generation),
                    adapter,
                    definition,
                    mapping,
                    share,
                    permits,
                    meter,
                    time,
                    factory);
            pools.put(mapping.localUser(), started);
            return started;
        } finally {
            lock.unlock();
        }
    }

    private String poolName(String user, int generation) {
        String text = (name + "." + user).replaceAll("[^A-Za-z0-9._-]", "_");
        String number = generation == 1 ? "" : "-" + generation;
        return text.substring(0, Math.min(text.length(), 100 - number.length())) + number;
    }

    private void checkOpen() throws RemoteException {
        if (closed) {
            throw new RemoteException(RemoteErrorCode.SERVER_NOT_FOUND, "server " + name + " was unregistered");
        }
    }

    /**
     * Acquires a connection for this local user. Blocks, and never past the timeout. If the pool is replaced meanwhile,
     * waits in the new one.
     */
    public Acquired acquire(String localUser, Duration timeout) throws RemoteException {
        long beganNanos = time.nanos();
        long deadlineNanos = beganNanos + Math.max(0, timeout.toNanos());
        for (; ; ) {
            checkOpen();
            if (!monitor.isHealthy()) {
                // A user without a mapping must not take the probe from one who has a mapping.
                mappingFor(localUser);
            }
            boolean isProbe = admit();
            UserPool pool = isProbe ? poolOfProbe(localUser) : pool(localUser);
            long triedNanos = time.nanos();
            long leftNanos = Math.max(0, deadlineNanos - triedNanos);
            long failedBefore = isProbe ? pool.failedConnects() : 0;
            boolean asks = false;
            try {
                Connection connection = acquire(pool, leftNanos);
                if (pool.isRetired()) {
                    // It was handed over before the pool noticed its own end. Its credentials may be old.
                    connection.close();
                    if (isProbe) {
                        monitor.probeUnused();
                    }
                    continue;
                }
                if (isProbe) {
                    asks = true;
                    monitor.probed(pool, connection, deadlineNanos - time.nanos());
                }
                meter.acquiredAfter(time.nanos() - beganNanos);
                return new Acquired(pool, connection);
            } catch (SQLException e) {
                boolean mayTryAgain = pool.isRetired() && leftNanos > 0;
                if (isProbe && !asks) {
                    boolean connectFailed = pool.failedConnects() != failedBefore;
                    monitor.probeFailed(pool, e, connectFailed, time.nanos() - triedNanos);
                }
                if (!mayTryAgain) {
                    throw AcquireErrors.of(e, definition, localUser, leases);
                }
            }
        }
    }

    /** Gives the probe back if the caller's own mapping cannot be used. */
    private UserPool poolOfProbe(String localUser) throws RemoteException {
        boolean found = false;
        try {
            UserPool pool = pool(localUser);
            found = true;
            return pool;
        } finally {
            if (!found) {
                monitor.probeUnused();
            }
        }
    }

    private boolean admit() throws RemoteException {
        try {
            return monitor.admit();
        } catch (RemoteException unhealthy) {
            totals.refused();
            throw unhealthy;
        }
    }

    private Connection acquire(UserPool pool, long leftNanos) throws SQLException {
        if (definition.pool().exhaustionPolicy() == ExhaustionPolicy.FAIL_FAST) {
            Connection ready = pool.tryAcquire();
            if (ready != null) {
                return ready;
            }
            if (leases.isFull()) {
                totals.refused();
                throw new RemoteException(
                        RemoteErrorCode.POOL_EXHAUSTED,
                        "all connections are in use, and exhaustion_policy is fail_fast.");
            }
        }
        return pool.acquire(Duration.ofNanos(leftNanos));
    }

    /** A connection and the pool that it came from. */
    public record Acquired(UserPool pool, Connection connection) {}

    // Changes.

    /** Adds or replaces a mapping. If it logs in otherwise than before, its old connections drain. */
    public void setMapping(UserMapping mapping) throws RemoteException {
        lock.lock();
        try {
            checkOpen();
            UserMapping before = mappings.put(mapping.localUser(), mapping);
            if (before == null || !before.connectsLike(mapping)) {
                replace(mapping.localUser());
            }
            monitor.mappingsChanged();
        } finally {
            lock.unlock();
        }
    }

    /** Removes a mapping, and drains its connections. Returns whether it existed. */
    public boolean removeMapping(String localUser) {
        lock.lock();
        try {
            boolean existed = mappings.remove(localUser) != null;
            replace(localUser);
            monitor.mappingsChanged();
            return existed;
        } finally {
            lock.unlock();
        }
    }

    public @Nullable UserMapping mapping(String localUser) {
        return mappings.get(localUser);
    }

    /** The mappings, in the order of their local users. */
    public List<UserMapping> mappings() {
        return List.copyOf(new TreeMap<>(mappings).values());
    }

    /** The mappings that checks may use, the preferred one first. */
    private List<UserMapping> monitorMappings() {
        String user = definition.health().user();
        UserMapping own = user == null ? null : mappings.get(user);
        UserMapping all = mappings.get(UserMapping.PUBLIC);
        if (own != null) {
            return List.of(own);
        }
        List<UserMapping> sorted = new ArrayList<>(user == null ? mappings() : List.of());
        if (all != null) {
            sorted.remove(all);
            sorted.add(0, all);
        }
        return sorted;
    }

    /**
     * Replaces the definition. If only the numbers of connections or the health checks differ, pools stay. Otherwise
     * old connections drain.
     */
    public void update(ServerDefinition changed) throws RemoteException {
        lock.lock();
        try {
            checkOpen();
            ServerDefinition before = definition;
            Targets targets = UserPoolSettings.targets(changed.pool());
            definition = changed;
            leases.setMax(changed.pool().maxConnections(), UserPoolSettings.overflow(changed.pool()));
            // A running pool can change its sizes, and nothing else.
            if (before.connectsLike(changed) && before.pool().sameExceptSizes(changed.pool())) {
                pools.values().forEach(pool -> pool.setTargets(targets));
            } else {
                permits = permitsOf(changed);
                List.copyOf(pools.keySet()).forEach(this::replace);
            }
            monitor.update(changed);
        } finally {
            lock.unlock();
        }
    }

    private void replace(String user) {
        UserPool old = pools.get(user);
        if (old != null) {
            drain(user, old, drainMax);
        }
    }

    private CompletionStage<Void> drain(String user, UserPool old, Duration limit) {
        // Together, because a report in between would not count the pool, or count it twice.
        synchronized (totals) {
            pools.remove(user);
            draining.add(old);
        }
        return old.retire(limit).whenComplete((nothing, error) -> {
            UserPoolStats last = old.stats();
            long attempts = old.attempts();
            synchronized (totals) {
                totals.add(last, attempts);
                draining.remove(old);
            }
        });
    }

    /**
     * Removes everything. The stage completes when all connections are closed, soon after the drain time at the latest.
     */
    public CompletionStage<Void> close(Duration drain) {
        lock.lock();
        try {
            closed = true;
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            draining.forEach(pool -> ends.add(pool.retire(drain).toCompletableFuture()));
            Map.copyOf(pools)
                    .forEach((user, pool) -> ends.add(drain(user, pool, drain).toCompletableFuture()));
            ends.add(monitor.close().toCompletableFuture());
            return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
        } finally {
            lock.unlock();
        }
    }

    private void lookAtLeasesSoon() {
        if (looksSoon.compareAndSet(false, true)) {
            var unused = time.schedule(LOOK_SOON_NANOS, () -> {
                looksSoon.set(false);
                leases.look();
            });
        }
    }

    /** Ends warm-ups, removes pools that nobody uses, and recalls temporary places. Called about every second. */
    public void look() {
        leases.look();
        lock.lock();
        try {
            long now = time.nanos();
            for (Map.Entry<String, UserPool> entry : pools.entrySet()) {
                if (entry.getValue().look(now)) {
                    replace(entry.getKey());
                }
            }
            if (looks++ % LOOKS_PER_ACTIVITY == 0) {
                noteActivity();
            }
        } finally {
            lock.unlock();
        }
    }

    private void noteActivity() {
        // Together, because a pool that ends in between would be missed or counted twice.
        synchronized (totals) {
            long attempts = 0;
            for (UserPool pool : pools.values()) {
                attempts += pool.attempts();
            }
            for (UserPool pool : draining) {
                attempts += pool.attempts();
            }
            totals.noteActivity(attempts);
        }
    }

    // Operations on connections.

    /**
     * Opens connections, spread over all mappings, until the server has this many or no place is free. Returns the
     * pools that open some: none if the server has this many, or no mapping.
     */
    public List<UserPool> warmUp(int count) throws RemoteException {
        List<UserPool> warming = new ArrayList<>();
        lock.lock();
        try {
            for (Map.Entry<String, Integer> part : warmUpParts(count).entrySet()) {
                UserPool pool = pool(part.getKey());
                pool.warmUp(part.getValue(), time.nanos());
                warming.add(pool);
            }
        } finally {
            lock.unlock();
        }
        return warming;
    }

    /** How many connections each user has afterwards, without users that get no more. Those with the fewest get one. */
    private Map<String, Integer> warmUpParts(int count) {
        int open = draining.stream().mapToInt(UserPool::openOrOpening).sum();
        PriorityQueue<Map.Entry<String, Integer>> fewestFirst = new PriorityQueue<>(
                Map.Entry.<String, Integer>comparingByValue().thenComparing(Map.Entry.comparingByKey()));
        for (UserMapping mapping : mappings.values()) {
            UserPool pool = pools.get(mapping.localUser());
            int present = pool == null ? 0 : pool.openOrOpening();
            open += present;
            fewestFirst.add(Map.entry(mapping.localUser(), present));
        }
        Map<String, Integer> parts = new TreeMap<>();
        for (; open < count && !fewestFirst.isEmpty(); open++) {
            Map.Entry<String, Integer> next = fewestFirst.remove();
            Map.Entry<String, Integer> more = Map.entry(next.getKey(), next.getValue() + 1);
            parts.put(more.getKey(), more.getValue());
            fewestFirst.add(more);
        }
        return parts;
    }

    /** Closes idle connections down to each pool's minimum. Returns how many. */
    public int evictIdle() {
        endWarmUps();
        return leases.recallIdle(Integer.MAX_VALUE, true);
    }

    /** Closes this many idle connections, if there are as many. Returns how many. */
    public int closeIdle(int count) {
        endWarmUps();
        return leases.recallIdle(count, false);
    }

    private void endWarmUps() {
        lock.lock();
        try {
            pools.values().forEach(UserPool::endWarmUp);
        } finally {
            lock.unlock();
        }
    }

    /** Closes all connections: idle ones now, those in use on release. */
    public void closeAll() {
        pools.values().forEach(UserPool::closeAll);
    }

    /** Validates each connection before it is handed out again. Does not block. */
    public void validateAll() {
        pools.values().forEach(UserPool::validateAll);
    }

    /** Replaces the connection with this id: now if it is idle, on release if it is in use. */
    public boolean closeConnection(long id) {
        return pools.values().stream().anyMatch(pool -> pool.close(id));
    }

    // Reports.

    /** How many connections are open, being opened or being closed. */
    public int held() {
        return leases.held();
    }

    public ServerPoolStats stats() {
        return leases.read(() -> totals.stats(this, pools, draining, leases.max()));
    }

    public ServerMeasurements measurements() {
        return meter.report(name, stats().totalAcquires());
    }

    public List<ConnectionDetails> connections() {
        List<ConnectionDetails> all = new ArrayList<>();
        new TreeMap<>(pools).values().forEach(pool -> all.addAll(pool.details()));
        draining.forEach(pool -> all.addAll(pool.details()));
        return all;
    }

    public ServerHealth health() {
        return monitor.report();
    }

    @Override
    public String toString() {
        return "ServerPool[" + name + ", " + pools.size() + " users]";
    }
}
