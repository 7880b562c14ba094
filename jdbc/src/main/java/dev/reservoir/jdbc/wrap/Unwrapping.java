package dev.reservoir.jdbc.wrap;

import java.sql.SQLException;
import java.sql.Wrapper;

/** How the wrappers answer for the driver's classes behind them. */
final class Unwrapping {

    private Unwrapping() {}

    /** The driver's object if it is of the type, otherwise whatever it wraps itself. */
    static <T> T unwrap(Wrapper raw, Class<T> type) throws SQLException {
        return type.isInstance(raw) ? type.cast(raw) : raw.unwrap(type);
    }

    static boolean isWrapperFor(Wrapper inUse, Wrapper raw, Class<?> type) throws SQLException {
        return type.isInstance(inUse) || type.isInstance(raw) || raw.isWrapperFor(type);
    }
}
