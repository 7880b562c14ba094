package dev.reservoir.remote;

import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.health.HealthChecker;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.pool.ServerPool;
import dev.reservoir.remote.sql.CatalogCheck;
import dev.reservoir.remote.sql.CatalogListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/**
 * Keeps the pools of a registry in step with its catalog: a server that is created, altered or dropped there gets,
 * changes or loses its pools, whether SQL or a method of the registry did it. Called under the lock of the catalog;
 * never waits for connections.
 */
final class CatalogPools implements CatalogListener, CatalogCheck {
    private final Map<String, ServerPool> pools = new ConcurrentHashMap<>();
    private final Adapters adapters;
    private final HealthChecker checker;
    private final BiFunction<ServerDefinition, Adapters, ServerPool> create;
    private final Duration drain;
    private volatile boolean closed;

    /** No pools yet. {@code create} must not fail for a server that {@link #check} accepts. */
    CatalogPools(
            Adapters adapters,
            HealthChecker checker,
            BiFunction<ServerDefinition, Adapters, ServerPool> create,
            Duration drain) {
        this.adapters = adapters;
        this.checker = checker;
        this.create = create;
        this.drain = drain;
    }

    Map<String, ServerPool> pools() {
        return pools;
    }

    /** Takes a server out before the catalog drops it, so that its caller can wait for its end. */
    void remove(ServerPool pool) {
        pools.remove(pool.name(), pool);
        checker.remove(pool.monitor());
    }

    /** From now on, servers are refused. */
    void close() {
        closed = true;
    }

    @Override
    public void check(ServerDefinition server) throws RemoteException {
        if (closed) {
            throw new RemoteException(RemoteErrorCode.SERVER_UNAVAILABLE, "the registry is closed");
        }
        adapters.find(server).driver(server);
    }

    @Override
    public void serverCreated(ServerDefinition server) {
        ServerPool pool = create.apply(server, adapters);
        pools.put(server.name(), pool);
        checker.add(pool.monitor());
    }

    @Override
    public void serverAltered(ServerDefinition before, ServerDefinition after) {
        change(after.name(), pool -> {
            pool.update(after);
            checker.changed(pool.monitor());
        });
    }

    @Override
    public void serverDropped(ServerDefinition server) {
        ServerPool pool = pools.get(server.name());
        if (pool != null) {
            remove(pool);
            var unused = pool.close(drain);
        }
    }

    @Override
    public void mappingCreated(UserMapping mapping) {
        change(mapping.server(), pool -> {
            boolean couldBeChecked = pool.monitor().canLogIn();
            pool.setMapping(mapping);
            if (!couldBeChecked && pool.monitor().canLogIn()) {
                checker.checkSoon(pool.monitor());
            }
        });
    }

    @Override
    public void mappingAltered(UserMapping before, UserMapping after) {
        change(after.server(), pool -> pool.setMapping(after));
    }

    @Override
    public void mappingDropped(UserMapping mapping) {
        change(mapping.server(), pool -> pool.removeMapping(mapping.localUser()));
    }

    private void change(String server, PoolChange change) {
        ServerPool pool = pools.get(server);
        if (pool == null) {
            return;
        }
        try {
            change.applyTo(pool);
        } catch (RemoteException e) {
            throw new IllegalStateException("a pool refuses what the catalog accepted", e);
        }
    }

    private interface PoolChange {
        void applyTo(ServerPool pool) throws RemoteException;
    }
}
