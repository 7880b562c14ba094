package dev.reservoir.remote.sys;

import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerPoolStats;
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
    public List<ServerPoolStats> pools() {
        return registry.allServerStats();
    }

    @Override
    public List<ConnectionDetails> connections() {
        return ofEach(server -> registry.connections(server.name()));
    }

    @Override
    public List<ServerStatusRow> serverStatus() {
        return ofEach(server -> List.of(new ServerStatusRow(server, registry.serverHealth(server.name()))));
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
