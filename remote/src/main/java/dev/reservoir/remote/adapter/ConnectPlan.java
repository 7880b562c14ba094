package dev.reservoir.remote.adapter;

import java.util.Properties;

/**
 * How to open a connection. The properties may hold a password, so {@link #toString} shows only their names.
 *
 * @param url the JDBC URL, without a secret
 * @param properties the properties for the driver; a copy, which the caller may change
 */
public record ConnectPlan(DriverInfo driver, String url, Properties properties) {
    public ConnectPlan {
        properties = copy(properties);
    }

    @Override
    public Properties properties() {
        return copy(properties);
    }

    private static Properties copy(Properties original) {
        Properties copy = new Properties();
        copy.putAll(original);
        return copy;
    }

    @Override
    public String toString() {
        return url + " " + properties.stringPropertyNames();
    }
}
