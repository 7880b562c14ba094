package dev.reservoir.remote;

import dev.reservoir.remote.adapter.QueryResult;
import dev.reservoir.remote.adapter.RemoteStatement;
import dev.reservoir.remote.model.RemoteException;
import org.jspecify.annotations.Nullable;

/** A prepared statement of a connection in use. After the release of the connection, each use is an error. */
final class PooledStatement implements RemoteStatement {
    private final PooledRemoteConnection owner;
    private final RemoteStatement statement;

    PooledStatement(PooledRemoteConnection owner, RemoteStatement statement) {
        this.owner = owner;
        this.statement = statement;
    }

    @Override
    public QueryResult query(@Nullable Object... parameters) throws RemoteException {
        return owner.call(session -> statement.query(parameters));
    }

    @Override
    public long update(@Nullable Object... parameters) throws RemoteException {
        return owner.call(session -> statement.update(parameters));
    }

    /** Does nothing after the release, because the reset of the session has closed the statement. */
    @Override
    public void close() throws RemoteException {
        if (!owner.isReleased()) {
            owner.run(session -> statement.close());
        }
    }
}
