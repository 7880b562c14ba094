package dev.reservoir.remote.sys.port;

import dev.reservoir.pgwire.Column;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.PgType;
import dev.reservoir.pgwire.PreparedQuery;
import dev.reservoir.pgwire.QueryResult;
import dev.reservoir.remote.sys.SysSession;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** A query of a client on the views. Every execution has a statement of its own, so that results do not disturb. */
final class ViewQuery implements PreparedQuery {
    private final SysSession session;
    private final QueryThreads threads;
    private final String sql;
    private final Runnable onError;
    private final List<PgType> parameterTypes = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();

    /** Asks H2 for the types. Throws if H2 does not understand the query. */
    ViewQuery(SysSession session, QueryThreads threads, String sql, Runnable onError) throws SQLException {
        this.session = session;
        this.threads = threads;
        this.sql = sql;
        this.onError = onError;
        try (PreparedStatement query = session.prepare(sql)) {
            ParameterMetaData parameters = query.getParameterMetaData();
            for (int i = 1; i <= parameters.getParameterCount(); i++) {
                parameterTypes.add(PgValues.type(parameters.getParameterType(i)));
            }
            ResultSetMetaData result = query.getMetaData();
            for (int i = 1; result != null && i <= result.getColumnCount(); i++) {
                columns.add(new Column(result.getColumnLabel(i), PgValues.type(result.getColumnType(i))));
            }
        }
    }

    @Override
    public List<PgType> parameterTypes() {
        return parameterTypes;
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public QueryResult execute(List<@Nullable String> parameters) throws InterruptedException {
        try {
            ResultSet result = run(session.prepare(sql), parameters);
            return QueryResult.select(() -> new Rows(result));
        } catch (SQLException e) {
            onError.run();
            throw new PgException(PgErrors.of(e));
        }
    }

    /** The result closes the statement. Without a result, this does. */
    private ResultSet run(PreparedStatement query, List<@Nullable String> parameters)
            throws SQLException, InterruptedException {
        boolean hasResult = false;
        try {
            for (int i = 0; i < parameters.size(); i++) {
                query.setString(i + 1, parameters.get(i));
            }
            query.closeOnCompletion();
            ResultSet result = threads.run(query, () -> session.run(query, sql));
            hasResult = true;
            return result;
        } finally {
            if (!hasResult) {
                query.close();
            }
        }
    }

    /** The rows of a result. Closes it after the last one. */
    private final class Rows implements Iterator<List<@Nullable String>> {
        private final ResultSet result;
        private boolean hasNext;

        Rows(ResultSet result) {
            this.result = result;
            move();
        }

        private void move() {
            try {
                hasNext = result.next();
                if (!hasNext) {
                    result.close();
                }
            } catch (SQLException e) {
                throw new PgException(PgErrors.of(e));
            }
        }

        @Override
        public boolean hasNext() {
            return hasNext;
        }

        @Override
        public List<@Nullable String> next() {
            if (!hasNext) {
                throw new NoSuchElementException();
            }
            try {
                List<@Nullable String> row = new ArrayList<>(columns.size());
                for (int i = 0; i < columns.size(); i++) {
                    row.add(PgValues.text(result, i + 1, columns.get(i).type()));
                }
                move();
                return row;
            } catch (SQLException e) {
                throw new PgException(PgErrors.of(e));
            }
        }
    }
}
