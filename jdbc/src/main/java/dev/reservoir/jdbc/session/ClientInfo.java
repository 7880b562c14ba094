package dev.reservoir.jdbc.session;

import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client info properties that the caller has changed, with their values from before the checkout. Never restores a
 * property that the caller did not change.
 */
final class ClientInfo {
    private final Map<String, @Nullable String> before = new HashMap<>();

    boolean isUnchanged() {
        return before.isEmpty();
    }

    void set(Connection raw, String name, @Nullable String value) throws SQLException {
        boolean first = !before.containsKey(name);
        String old = first ? raw.getClientInfo(name) : null;
        raw.setClientInfo(name, value);
        if (first) {
            before.put(name, old);
        }
    }

    /** Sets all properties and clears those not in the list. After a failure, some of them may be set. */
    void setAll(Connection raw, Properties values) throws SQLException {
        Properties old = copy(raw.getClientInfo());
        try {
            raw.setClientInfo(values);
        } catch (SQLClientInfoException e) {
            rememberDifferences(old, raw);
            throw e;
        }
        rememberDifferences(old, raw);
    }

    /** Restores the changed properties, and forgets the changes. */
    void restore(Connection raw) throws SQLException {
        for (Map.Entry<String, @Nullable String> entry : before.entrySet()) {
            raw.setClientInfo(entry.getKey(), entry.getValue());
        }
        before.clear();
    }

    private void rememberDifferences(Properties old, Connection raw) throws SQLException {
        Properties now = copy(raw.getClientInfo());
        Set<String> names = new HashSet<>(old.stringPropertyNames());
        names.addAll(now.stringPropertyNames());
        for (String name : names) {
            String was = old.getProperty(name);
            if (!before.containsKey(name) && !Objects.equals(was, now.getProperty(name))) {
                before.put(name, was);
            }
        }
    }

    /** Makes a copy, because drivers return the object that they work with. */
    private static Properties copy(@Nullable Properties properties) {
        Properties copy = new Properties();
        if (properties != null) {
            for (String name : properties.stringPropertyNames()) {
                copy.setProperty(name, properties.getProperty(name));
            }
        }
        return copy;
    }
}
