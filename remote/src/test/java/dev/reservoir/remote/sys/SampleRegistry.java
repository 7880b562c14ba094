package dev.reservoir.remote.sys;

import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.sql.Catalog;
import dev.reservoir.remote.sql.SysProcedures;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands in for a registry: rows that a test sets, and calls that it can look at. */
public final class SampleRegistry implements SysSource, SysProcedures {
    public static final Instant CREATED = Instant.parse("2026-11-01T10:00:00.123456Z");

    public final Catalog catalog = new Catalog();
    public final List<String> calls = new CopyOnWriteArrayList<>();
    public volatile List<PoolRow> pools =
            List.of(pool("legacy_pg", "postgresql", 5, 3), pool("prod_mysql", "mysql", 2, 2));
    public volatile List<ConnectionRow> connections = connections(8);
    public int poolsRead;

    public static PoolRow pool(String server, String type, int active, int idle) {
        return new PoolRow(
                server,
                type,
                true,
                null,
                1,
                active + idle,
                active,
                idle,
                0,
                0,
                20,
                0,
                15_234,
                15_230,
                2,
                5,
                45_678,
                1.5,
                10.25,
                CREATED,
                null);
    }

    public static List<ConnectionRow> connections(int count) {
        List<ConnectionRow> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new ConnectionRow(
                    i, "legacy_pg", "ann", "app", i < 5 ? "active" : "idle", false, CREATED, null, i));
        }
        return rows;
    }

    @Override
    public List<PoolRow> pools() {
        poolsRead++;
        return pools;
    }

    @Override
    public List<UserPoolRow> userPools() {
        return List.of(new UserPoolRow(
                "legacy_pg", "ann", "app", 8, 5, 3, 0, 0, 15_234, 15_230, 10, 2, 2, 5, 0, 45_678, 60.5, 1.5));
    }

    @Override
    public List<ConnectionRow> connections() {
        return connections;
    }

    @Override
    public List<ServerStatusRow> serverStatus() {
        return List.of(new ServerStatusRow(
                "legacy_pg", "postgresql", "db", 5432, false, "it's down", CREATED, CREATED, 3, 0, 100, 3));
    }

    @Override
    public List<ServerDefinition> servers() {
        return catalog.servers();
    }

    @Override
    public List<UserMapping> mappings() {
        return catalog.mappings();
    }

    @Override
    public void warmupPool(String server, int count) {
        calls.add("warmup " + server + " " + count);
    }

    @Override
    public void evictIdleConnections(String server) {
        calls.add("evict " + server);
    }

    @Override
    public void closeAllConnections(String server) {
        calls.add("close " + server);
    }

    @Override
    public void resetConnection(String server, long connectionId) {
        calls.add("reset " + server + " " + connectionId);
    }

    public SysDatabase open(String name) throws RemoteException {
        return SysDatabase.open(name, this, catalog, this);
    }
}
