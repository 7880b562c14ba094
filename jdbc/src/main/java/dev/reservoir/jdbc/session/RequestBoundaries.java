package dev.reservoir.jdbc.session;

import java.sql.Connection;

/**
 * Knows for each connection class of a driver whether it implements request boundaries. Checks each class once. Never
 * calls the driver.
 */
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
            // A native image may not know. Then a call is harmless, because the default method of JDBC does nothing.
            return true;
        }
    }
}
