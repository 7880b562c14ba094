package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.RemoteCursor;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A cursor of a session. If the driver needs a transaction and there was none, the cursor has one of its own. */
final class JdbcCursor implements RemoteCursor {
    private final SessionCalls calls;
    private final PreparedStatement statement;
    private final ResultSet result;
    private final List<String> columns;
    private final int fetchSize;
    private final boolean ownsTransaction;
    private final Consumer<JdbcCursor> onClose;
    private boolean ended;
    private boolean failed;
    private boolean closed;

    JdbcCursor(
            SessionCalls calls,
            PreparedStatement statement,
            ResultSet result,
            List<String> columns,
            int fetchSize,
            boolean ownsTransaction,
            Consumer<JdbcCursor> onClose) {
        this.calls = calls;
        this.statement = statement;
        this.result = result;
        this.columns = List.copyOf(columns);
        this.fetchSize = fetchSize;
        this.ownsTransaction = ownsTransaction;
        this.onClose = onClose;
    }

    @Override
    public List<String> columns() {
        return columns;
    }

    @Override
    public int fetchSize() {
        return fetchSize;
    }

    @Override
    public List<List<@Nullable Object>> fetch() throws RemoteException {
        if (closed) {
            throw new RemoteException(RemoteErrorCode.CURSOR_ERROR, "the cursor is closed");
        }
        if (ended) {
            return List.of();
        }
        failed = true;
        List<List<@Nullable Object>> batch = calls.fetch(statement, () -> {
            List<List<@Nullable Object>> rows = new ArrayList<>(Math.min(fetchSize, 1_000));
            while (rows.size() < fetchSize && result.next()) {
                rows.add(Rows.row(result, columns.size()));
            }
            return rows;
        });
        failed = false;
        ended = batch.size() < fetchSize;
        calls.countRows(batch.size());
        return batch;
    }

    @Override
    public void close() throws RemoteException {
        if (closed) {
            return;
        }
        closed = true;
        onClose.accept(this);
        if (calls.state().isOpen()) {
            calls.run(() -> {
                statement.close();
                if (ownsTransaction) {
                    endTransaction();
                }
            });
        }
    }

    /**
     * The query may have changed something, as any statement with auto-commit may. If auto-commit is on again, somebody
     * has ended the transaction before: the user by a commit or a rollback, or the pool on release.
     */
    private void endTransaction() throws SQLException {
        if (calls.connection().getAutoCommit()) {
            return;
        }
        if (failed) {
            calls.connection().rollback();
        } else {
            calls.connection().commit();
        }
        calls.connection().setAutoCommit(true);
    }
}
