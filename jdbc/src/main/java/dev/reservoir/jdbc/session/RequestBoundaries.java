package dev.reservoir.jdbc.session;

import java.sql.Connection;

/** Knows of each class of a driver's connections whether it has request boundaries of its own. Asks once for each class. */
public final class RequestBoundaries {
    private static final ClassValue<Boolean> KNOWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isOverridden(type, "beginRequest") || isOverridden(type, "endRequest");
        }
    };

    private RequestBoundaries() {}

    public static boolean has(Connection raw) {
        return KNOWN.get(raw.getClass());
    }

    private static boolean isOverridden(Class<?> type, String method) {
        try {
            return type.getMethod(method).getDeclaringClass() != Connection.class;
        } catch (NoSuchMethodException | LinkageError e) {
            // A native image may not know. A call of JDBC's default is as good as none.
            return true;
        }
    }
}
