package dev.reservoir.flightsql.server;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;

/** Reads parameters from Arrow batches and binds them. */
final class ParameterRows {
    private ParameterRows() {}

    static List<List<@Nullable Object>> read(FlightStream stream) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        while (stream.next()) {
            VectorSchemaRoot root = stream.getRoot();
            for (int i = 0; i < root.getRowCount(); i++) {
                List<@Nullable Object> row = new ArrayList<>();
                for (FieldVector vector : root.getFieldVectors()) {
                    Object value = vector.getObject(i);
                    row.add(value instanceof Text ? value.toString() : value);
                }
                rows.add(Collections.unmodifiableList(row));
            }
        }
        return rows;
    }

    static void bind(PreparedStatement statement, List<@Nullable Object> row) throws SQLException {
        for (int i = 0; i < row.size(); i++) {
            statement.setObject(i + 1, row.get(i));
        }
    }
}
