package dev.reservoir.remote.sys;

import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.ServerHealth;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.UserPoolStats;
import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.RemoteDatabaseType;
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
    public volatile List<ServerPoolStats> pools = List.of(
            pool("legacy_pg", RemoteDatabaseType.POSTGRESQL, 5, 3), pool("prod_mysql", RemoteDatabaseType.MYSQL, 2, 2));
    public volatile List<ConnectionDetails> connections = connections(8);
    public int poolsRead;

    public static ServerPoolStats pool(String server, RemoteDatabaseType type, int active, int idle) {
        int total = active + idle;
        UserPoolStats ann = new UserPoolStats(
                server, "ann", "app", total, active, idle, 0, 0, 15_234, 15_230, 10, 2, 2, 5, 0, 45_678, 0, 60.5, 1.5);
        return new ServerPoolStats(
                server,
                type,
                true,
                null,
                1,
                total,
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
                null,
                List.of(ann));
    }

    public static List<ConnectionDetails> connections(int count) {
        List<ConnectionDetails> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ConnectionState state = i < 5 ? ConnectionState.EXECUTING : ConnectionState.CONNECTED;
            rows.add(new ConnectionDetails(
                    i, "legacy_pg", "ann", "app", i < 5, state, false, CREATED, null, CREATED, i, 2L * i));
        }
        return rows;
    }

    @Override
    public List<ServerPoolStats> pools() {
        poolsRead++;
        return pools;
    }

    @Override
    public List<ConnectionDetails> connections() {
        return connections;
    }

    @Override
    public List<ServerStatusRow> serverStatus() {
        try {
            return List.of(new ServerStatusRow(
                    ServerDefinition.builder("legacy_pg", RemoteDatabaseType.POSTGRESQL)
                            .host("db")
                            .build(),
                    new ServerHealth("legacy_pg", false, "it's down", CREATED, CREATED, 3, 0, 100, 3)));
        } catch (RemoteException e) {
            throw new IllegalStateException(e);
        }
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
