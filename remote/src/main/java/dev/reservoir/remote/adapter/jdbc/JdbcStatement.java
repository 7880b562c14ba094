package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.QueryResult;
import dev.reservoir.remote.adapter.RemoteStatement;
import dev.reservoir.remote.model.RemoteException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A prepared statement of a session. */
final class JdbcStatement implements RemoteStatement {
    private final SessionCalls calls;
    private final PreparedStatement statement;
    private final Consumer<JdbcStatement> onClose;

    JdbcStatement(SessionCalls calls, PreparedStatement statement, Consumer<JdbcStatement> onClose) {
        this.calls = calls;
        this.statement = statement;
        this.onClose = onClose;
    }

    @Override
    public QueryResult query(@Nullable Object... parameters) throws RemoteException {
        QueryResult all = calls.execute(statement, () -> {
            Rows.bind(statement, parameters);
            try (ResultSet result = statement.executeQuery()) {
                return Rows.all(result);
            }
        });
        calls.countRows(all.rows().size());
        return all;
    }

    @Override
    public long update(@Nullable Object... parameters) throws RemoteException {
        long changed = calls.execute(statement, () -> {
            Rows.bind(statement, parameters);
            return Rows.changed(statement, statement.execute());
        });
        calls.countRows(changed);
        return changed;
    }

    @Override
    public void close() throws RemoteException {
        onClose.accept(this);
        if (calls.state().isOpen()) {
            calls.run(statement::close);
        }
    }
}
