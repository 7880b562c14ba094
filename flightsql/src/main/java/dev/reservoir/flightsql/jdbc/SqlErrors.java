package dev.reservoir.flightsql.jdbc;

import dev.reservoir.flightsql.FlightSqlException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;

/** Turns the pool's errors into those of JDBC. The message and the cause stay. */
final class SqlErrors {
    static final String NOT_SUPPORTED = "0A000";
    static final String NO_ROW = "24000";
    static final String BAD_ARGUMENT = "22023";

    private SqlErrors() {}

    static SQLException of(FlightSqlException error) {
        String message = String.valueOf(error.getMessage());
        return switch (error.kind()) {
            case MAPPING -> new SQLDataException(message, BAD_ARGUMENT, error);
            case TIMEOUT -> new SQLTimeoutException(message, "57014", error);
            case CANCELLED -> new SQLException(message, "57014", error);
            case CONNECTION_LOST, SESSION_LOST -> new SQLNonTransientConnectionException(message, "08006", error);
            case SQL -> new SQLException(message, "HY000", error);
        };
    }
}
