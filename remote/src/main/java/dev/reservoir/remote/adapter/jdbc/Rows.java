package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.QueryResult;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies rows out of result sets, and parameters into statements. */
final class Rows {
    private Rows() {}

    static void bind(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    /** The number of rows that a statement changed. One that returned rows changed none. */
    static long changed(Statement statement, boolean returnedRows) throws SQLException {
        return returnedRows ? 0 : Math.max(0, statement.getUpdateCount());
    }

    static List<String> columns(ResultSet result) throws SQLException {
        ResultSetMetaData metaData = result.getMetaData();
        List<String> columns = new ArrayList<>(metaData.getColumnCount());
        for (int i = 1; i <= metaData.getColumnCount(); i++) {
            columns.add(metaData.getColumnLabel(i));
        }
        return columns;
    }

    static List<@Nullable Object> row(ResultSet result, int columns) throws SQLException {
        List<@Nullable Object> row = new ArrayList<>(columns);
        for (int i = 1; i <= columns; i++) {
            row.add(result.getObject(i));
        }
        return Collections.unmodifiableList(row);
    }

    /** Reads all rows. Throws RD015 if there are too many. */
    static QueryResult all(ResultSet result) throws SQLException {
        List<String> columns = columns(result);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        while (result.next()) {
            if (rows.size() == AdapterSession.FETCH_SIZE_MAX) {
                throw new RemoteException(
                        RemoteErrorCode.CURSOR_ERROR,
                        "the result has more than " + AdapterSession.FETCH_SIZE_MAX
                                + " rows; read it with a cursor (openCursor)");
            }
            rows.add(row(result, columns.size()));
        }
        return new QueryResult(columns, rows);
    }
}
