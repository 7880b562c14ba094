package dev.reservoir.remote.sys;

import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerHealth;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.UserPoolStats;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.sql.SysProcedures;
import java.util.ArrayList;
import java.util.List;

/** The rows and the procedures of a registry. A server that is dropped meanwhile has no rows. */
final class RegistrySource implements SysSource, SysProcedures {
    private final RemoteConnectionPoolRegistry registry;

    RegistrySource(RemoteConnectionPoolRegistry registry) {
        this.registry = registry;
    }

    @Override
    public boolean isClosed() {
        return registry.isClosed();
    }

    @Override
    public List<PoolRow> pools() {
        return registry.allServerStats().stream().map(RegistrySource::row).toList();
    }

    private static PoolRow row(ServerPoolStats stats) {
        return new PoolRow(
                stats.serverName(),
                stats.dbType().label(),
                stats.healthy(),
                stats.unhealthyReason(),
                stats.totalUserPools(),
                stats.totalConnections(),
                stats.activeConnections(),
                stats.idleConnections(),
                stats.openingConnections(),
                stats.drainingConnections(),
                stats.maxConnections(),
                stats.pendingRequests(),
                stats.totalAcquires(),
                stats.totalReleases(),
                stats.acquireTimeouts(),
                stats.connectionErrors(),
                stats.queriesExecuted(),
                stats.avgAcquireTimeMs(),
                stats.avgQueryTimeMs(),
                stats.createdAt(),
                stats.lastActivity());
    }

    @Override
    public List<UserPoolRow> userPools() {
        return registry.allServerStats().stream()
                .flatMap(stats -> stats.users().stream())
                .map(RegistrySource::row)
                .toList();
    }

    private static UserPoolRow row(UserPoolStats stats) {
        return new UserPoolRow(
                stats.serverName(),
                stats.localUser(),
                stats.remoteUser(),
                stats.totalConnections(),
                stats.activeConnections(),
                stats.idleConnections(),
                stats.openingConnections(),
                stats.waitingRequests(),
                stats.totalAcquires(),
                stats.totalReleases(),
                stats.connectionsCreated(),
                stats.connectionsDestroyed(),
                stats.acquireTimeouts(),
                stats.connectionErrors(),
                stats.validationFailures(),
                stats.queriesExecuted(),
                stats.avgConnectionLifetimeSec(),
                stats.avgAcquireWaitMs());
    }

    @Override
    public List<ConnectionRow> connections() {
        return ofEach(server -> registry.connections(server.name()).stream()
                .map(RegistrySource::row)
                .toList());
    }

    private static ConnectionRow row(ConnectionDetails connection) {
        return new ConnectionRow(
                connection.id(),
                connection.serverName(),
                connection.localUser(),
                connection.remoteUser(),
                connection.inUse() ? "active" : "idle",
                connection.draining(),
                connection.createdAt(),
                connection.lastAcquiredAt(),
                connection.uses());
    }

    @Override
    public List<ServerStatusRow> serverStatus() {
        return ofEach(server -> List.of(row(server, registry.serverHealth(server.name()))));
    }

    private static ServerStatusRow row(ServerDefinition server, ServerHealth health) {
        return new ServerStatusRow(
                server.name(),
                server.type().label(),
                server.host(),
                server.port(),
                health.healthy(),
                health.reason(),
                health.since(),
                health.lastChecked(),
                health.failuresInARow(),
                health.successesInARow(),
                health.checks(),
                health.failedChecks());
    }

    @Override
    public List<ServerDefinition> servers() {
        return registry.catalog().servers();
    }

    @Override
    public List<UserMapping> mappings() {
        return registry.catalog().mappings();
    }

    private <T> List<T> ofEach(RowsOfServer<T> rows) {
        List<T> all = new ArrayList<>();
        for (ServerDefinition server : servers()) {
            try {
                all.addAll(rows.of(server));
            } catch (RemoteException e) {
                if (e.code() != RemoteErrorCode.SERVER_NOT_FOUND) {
                    throw new IllegalStateException("bug: a report on server " + server.name() + " failed", e);
                }
            }
        }
        return all;
    }

    @Override
    public void warmupPool(String server, int count) throws RemoteException {
        if (!registry.warmupServer(server, count)) {
            throw new RemoteException(
                    RemoteErrorCode.TIMEOUT,
                    "server " + server + " has not " + count
                            + " connections yet; sys.remote_pool_stats shows how many");
        }
    }

    @Override
    public void evictIdleConnections(String server) throws RemoteException {
        registry.evictIdleConnections(server);
    }

    @Override
    public void closeAllConnections(String server) throws RemoteException {
        registry.closeAllConnections(server);
    }

    @Override
    public void resetConnection(String server, long connectionId) throws RemoteException {
        if (!registry.resetConnection(server, connectionId)) {
            throw new RemoteException(
                    RemoteErrorCode.OBJECT_NOT_FOUND,
                    "server " + server + " has no connection " + connectionId + "; sys.remote_connections lists them");
        }
    }

    private interface RowsOfServer<T> {
        List<T> of(ServerDefinition server) throws RemoteException;
    }
}
