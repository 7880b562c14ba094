package dev.reservoir.remote;

import dev.reservoir.remote.adapter.RemoteCursor;
import dev.reservoir.remote.model.RemoteException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cursor of a connection in use. After the release of the connection, each use is an error. */
final class PooledCursor implements RemoteCursor {
    private final PooledRemoteConnection owner;
    private final RemoteCursor cursor;

    PooledCursor(PooledRemoteConnection owner, RemoteCursor cursor) {
        this.owner = owner;
        this.cursor = cursor;
    }

    @Override
    public List<String> columns() {
        owner.checkInUse();
        return cursor.columns();
    }

    @Override
    public int fetchSize() {
        owner.checkInUse();
        return cursor.fetchSize();
    }

    @Override
    public List<List<@Nullable Object>> fetch() throws RemoteException {
        return owner.call(session -> cursor.fetch());
    }

    /** Does nothing after the release, because the reset of the session has closed the cursor. */
    @Override
    public void close() throws RemoteException {
        if (!owner.isReleased()) {
            owner.run(session -> cursor.close());
        }
    }
}
