package dev.reservoir.remote.adapter;

import dev.reservoir.remote.model.RemoteException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a query in batches. Holds at most one batch in memory, where the database has
 * {@link Capability#CURSORS}. For use by one thread. A session has at most one open cursor.
 */
public interface RemoteCursor extends AutoCloseable {
    /** The labels of the columns. */
    List<String> columns();

    /** Rows per batch. */
    int fetchSize();

    /**
     * Reads the next batch. Blocks.
     *
     * @return up to {@link #fetchSize} rows; none if the result has ended
     */
    List<List<@Nullable Object>> fetch() throws RemoteException;

    /** Ends the cursor. A transaction that was begun for it alone ends too. Does nothing if it is closed. */
    @Override
    void close() throws RemoteException;
}
