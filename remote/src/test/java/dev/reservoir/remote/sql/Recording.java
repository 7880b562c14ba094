package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.util.ArrayList;
import java.util.List;

/** Writes down the changes and calls that it is told of. */
final class Recording implements CatalogListener, SysProcedures {
    final List<String> lines = new ArrayList<>();

    @Override
    public void serverCreated(ServerDefinition server) {
        lines.add("created " + server.name());
    }

    @Override
    public void serverAltered(ServerDefinition before, ServerDefinition after) {
        lines.add("altered " + after.name() + " " + after.connectsLike(before));
    }

    @Override
    public void serverDropped(ServerDefinition server) {
        lines.add("dropped " + server.name());
    }

    @Override
    public void mappingCreated(UserMapping mapping) {
        lines.add("created " + mapping);
    }

    @Override
    public void mappingAltered(UserMapping before, UserMapping after) {
        lines.add("altered " + after + " " + after.connectsLike(before));
    }

    @Override
    public void mappingDropped(UserMapping mapping) {
        lines.add("dropped " + mapping);
    }

    @Override
    public void warmupPool(String server, int count) {
        lines.add("warmup " + server + " " + count);
    }

    @Override
    public void evictIdleConnections(String server) {
        lines.add("evict " + server);
    }

    @Override
    public void closeAllConnections(String server) {
        lines.add("close " + server);
    }

    @Override
    public void resetConnection(String server, long connectionId) throws RemoteException {
        if (connectionId == 404) {
            throw new RemoteException(RemoteErrorCode.OBJECT_NOT_FOUND, "there is no connection 404");
        }
        lines.add("reset " + server + " " + connectionId);
    }
}
