package dev.reservoir.remote.model;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a server's health checks. {@link ServerOptions} has their defaults, ranges and meaning. Immutable. */
public final class HealthCheckConfig {
    private static final HealthCheckConfig DEFAULTS = new HealthCheckConfig(OptionValues.none(ServerOptions.all()));

    private final OptionValues values;

    HealthCheckConfig(OptionValues values) {
        this.values = values.only(RemoteOption.Group.HEALTH);
    }

    public static HealthCheckConfig defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return DEFAULTS.toBuilder();
    }

    public Builder toBuilder() {
        return new Builder(values);
    }

    public boolean enabled() {
        return values.get(ServerOptions.ENABLE_HEALTH_CHECK);
    }

    public HealthCheckType type() {
        return values.get(ServerOptions.HEALTH_CHECK_TYPE);
    }

    public Duration timeout() {
        return values.get(ServerOptions.HEALTH_CHECK_TIMEOUT);
    }

    public Duration interval() {
        return values.get(ServerOptions.HEALTH_CHECK_INTERVAL);
    }

    public int failureThreshold() {
        return values.get(ServerOptions.HEALTH_FAILURE_THRESHOLD);
    }

    public int recoveryThreshold() {
        return values.get(ServerOptions.HEALTH_RECOVERY_THRESHOLD);
    }

    /** The query that was given, or null if the query of the server's type applies. */
    public @Nullable String testQuery() {
        return values.find(ServerOptions.HEALTH_CHECK_QUERY);
    }

    /** The query that was given, or else that of the server's type. */
    public String testQuery(RemoteDatabaseType type) {
        String query = testQuery();
        return query == null ? type.healthQuery() : query;
    }

    /** The local user whose mapping the check connects with, or null if none was given. */
    public @Nullable String user() {
        return values.find(ServerOptions.HEALTH_CHECK_USER);
    }

    /** The options that were given, as text, by key. */
    public Map<String, String> options() {
        return values.texts();
    }

    OptionValues values() {
        return values;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HealthCheckConfig that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "HealthCheckConfig" + values;
    }

    /** Collects options. They are checked by {@link #build}. */
    public static final class Builder {
        private OptionValues values;

        private Builder(OptionValues values) {
            this.values = values;
        }

        public Builder enabled(boolean value) {
            return set(ServerOptions.ENABLE_HEALTH_CHECK, value);
        }

        public Builder type(HealthCheckType value) {
            return set(ServerOptions.HEALTH_CHECK_TYPE, value);
        }

        public Builder timeout(Duration value) {
            return set(ServerOptions.HEALTH_CHECK_TIMEOUT, value);
        }

        public Builder interval(Duration value) {
            return set(ServerOptions.HEALTH_CHECK_INTERVAL, value);
        }

        public Builder failureThreshold(int value) {
            return set(ServerOptions.HEALTH_FAILURE_THRESHOLD, value);
        }

        public Builder recoveryThreshold(int value) {
            return set(ServerOptions.HEALTH_RECOVERY_THRESHOLD, value);
        }

        public Builder testQuery(@Nullable String value) {
            return set(ServerOptions.HEALTH_CHECK_QUERY, value);
        }

        public Builder user(@Nullable String value) {
            return set(ServerOptions.HEALTH_CHECK_USER, value);
        }

        private <T> Builder set(RemoteOption<T> option, @Nullable T value) {
            values = values.with(option, value);
            return this;
        }

        /** Checks the options. Throws RD032 if one is not allowed. */
        public HealthCheckConfig build() throws RemoteException {
            return new HealthCheckConfig(values.checked());
        }
    }
}
