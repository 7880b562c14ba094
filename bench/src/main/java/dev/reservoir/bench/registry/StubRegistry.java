package dev.reservoir.bench.registry;

import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.time.Duration;
import java.util.List;

/** A registry whose servers are stubs. */
final class StubRegistry {
    private StubRegistry() {}

    static RemoteConnectionPoolRegistry create(String name) {
        return RemoteConnectionPoolRegistry.create(name, Adapters.of(List.of(new StubAdapter())));
    }

    /** Adds a server with users {@code u0}, {@code u1} and so on. Connects to nothing. */
    static void addServer(RemoteConnectionPoolRegistry registry, String name, int users, PoolConfiguration pool)
            throws RemoteException {
        registry.registerServer(ServerDefinition.builder(name, RemoteDatabaseType.POSTGRESQL)
                .driverOption(Adapters.ADAPTER_OPTION, StubAdapter.NAME)
                .pool(pool)
                .build());
        for (int i = 0; i < users; i++) {
            registry.addMapping(UserMapping.builder(name, user(i)).build());
        }
    }

    static String user(int number) {
        return "u" + number;
    }

    /** Starts the pool of a user, by one acquire. */
    static void use(RemoteConnectionPoolRegistry registry, String server, String user) throws RemoteException {
        try (PooledRemoteConnection connection = registry.acquire(server, user, Duration.ofSeconds(30))) {
            connection.connection();
        }
    }
}
