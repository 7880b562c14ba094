package dev.reservoir.bench.registry;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.scenario.IdlePoolsPart;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Very many idle pools of users in one registry, beside as many pools of HikariCP. Each server has a hundred users, and
 * each user none or one connection. Measures what {@link IdlePoolsPart} does.
 */
public final class RegistryIdlePart {
    private static final String BENCHMARK = "registry idle";
    private static final int USERS = 100;

    private RegistryIdlePart() {}

    /** Takes {@code --pool} and {@code --pools-count}, which is a multiple of 100. */
    public static void run(Arguments arguments, Results results) throws Exception {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        int count = arguments.number("pools-count", 1_000);
        if (kind == PoolKind.HIKARICP) {
            IdlePoolsPart.run(kind, BENCHMARK, count, results);
        } else if (kind == PoolKind.RESERVOIR) {
            // The first pools load the classes, which do not count.
            RemoteConnectionPoolRegistry first = StubRegistry.create("first");
            start(first, 1, 1).get(0).getConnection().close();
            for (int ready = 0; ready <= 1; ready++) {
                measure(count, ready, results);
            }
            first.close();
        }
    }

    private static void measure(int count, int ready, Results results) throws Exception {
        IdlePoolsPart.Before before = IdlePoolsPart.before();
        try (RemoteConnectionPoolRegistry registry = StubRegistry.create("idle-" + ready)) {
            List<DataSource> users = start(registry, count / USERS, ready);
            before.measure(BENCHMARK, PoolKind.RESERVOIR, users, ready, results);
        }
    }

    /** Starts the pool of each user of each server. */
    private static List<DataSource> start(RemoteConnectionPoolRegistry registry, int servers, int ready)
            throws SQLException {
        PoolConfiguration pool = PoolConfiguration.builder()
                .minConnections(ready)
                .maxConnections(USERS)
                .build();
        List<DataSource> users = new ArrayList<>();
        for (int server = 0; server < servers; server++) {
            String name = "server" + server;
            StubRegistry.addServer(registry, name, USERS, pool);
            for (int user = 0; user < USERS; user++) {
                StubRegistry.use(registry, name, StubRegistry.user(user));
                users.add(registry.dataSource(name, StubRegistry.user(user)));
            }
            if (ready == 0) {
                empty(registry, name);
            }
        }
        return users;
    }

    private static void empty(RemoteConnectionPoolRegistry registry, String server) throws RemoteException {
        registry.evictIdleConnections(server);
        if (registry.serverStats(server).totalUserPools() != USERS) {
            throw new IllegalStateException(server + " has not the pools of " + USERS + " users");
        }
    }
}
