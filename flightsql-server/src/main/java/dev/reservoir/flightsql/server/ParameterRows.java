package dev.reservoir.flightsql.server;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
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
                    row.add(value(vector, i));
                }
                rows.add(Collections.unmodifiableList(row));
            }
        }
        return rows;
    }

    private static @Nullable Object value(FieldVector vector, int row) {
        Object value = vector.getObject(row);
        if (value == null) {
            return null;
        }
        if (vector instanceof DateDayVector date) {
            return LocalDate.ofEpochDay(date.get(row));
        }
        if (vector instanceof TimeMicroVector time) {
            return LocalTime.ofNanoOfDay(time.get(row) * 1_000);
        }
        if (vector instanceof TimeStampMicroTZVector time) {
            return Instant.EPOCH.plus(time.get(row), ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
        }
        return value instanceof Text ? value.toString() : value;
    }

    static void bind(PreparedStatement statement, List<@Nullable Object> row) throws SQLException {
        for (int i = 0; i < row.size(); i++) {
            statement.setObject(i + 1, row.get(i));
        }
    }
}
