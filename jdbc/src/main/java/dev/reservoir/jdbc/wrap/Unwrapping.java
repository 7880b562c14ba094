package dev.reservoir.jdbc.wrap;

import java.sql.SQLException;
import java.sql.Wrapper;

/** Implements {@code unwrap} and {@code isWrapperFor} for all wrappers. */
final class Unwrapping {

    private Unwrapping() {}

    /** Returns the object of the driver if it has the type, otherwise what that object unwraps to. */
    static <T> T unwrap(Wrapper raw, Class<T> type) throws SQLException {
        return type.isInstance(raw) ? type.cast(raw) : raw.unwrap(type);
    }

    static boolean isWrapperFor(Wrapper wrapper, Wrapper raw, Class<?> type) throws SQLException {
        return type.isInstance(wrapper) || type.isInstance(raw) || raw.isWrapperFor(type);
    }
}
