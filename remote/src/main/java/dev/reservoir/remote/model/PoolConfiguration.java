package dev.reservoir.remote.model;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The options of a server's pools. {@link ServerOptions} has their defaults, ranges and meaning. Immutable. */
public final class PoolConfiguration {
    private static final PoolConfiguration DEFAULTS = new PoolConfiguration(OptionValues.none(ServerOptions.all()));

    private final OptionValues values;

    PoolConfiguration(OptionValues values) {
        this.values = values.only(RemoteOption.Group.POOL);
    }

    public static PoolConfiguration defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return DEFAULTS.toBuilder();
    }

    public Builder toBuilder() {
        return new Builder(values);
    }

    public int minConnections() {
        return values.get(ServerOptions.MIN_CONNECTIONS);
    }

    /** The most connections to the server, for all its users together. */
    public int maxConnections() {
        return values.get(ServerOptions.MAX_CONNECTIONS);
    }

    public Duration connectTimeout() {
        return values.get(ServerOptions.CONNECT_TIMEOUT);
    }

    public Duration queryTimeout() {
        return values.get(ServerOptions.QUERY_TIMEOUT);
    }

    public Duration acquireTimeout() {
        return values.get(ServerOptions.ACQUIRE_TIMEOUT);
    }

    /** Zero means that idle connections stay. */
    public Duration idleTimeout() {
        return values.get(ServerOptions.IDLE_TIMEOUT);
    }

    /** Zero means that connections are not replaced because of their age. */
    public Duration maxLifetime() {
        return values.get(ServerOptions.MAX_LIFETIME);
    }

    public boolean resetOnRelease() {
        return values.get(ServerOptions.RESET_ON_RELEASE);
    }

    public boolean validateOnAcquire() {
        return values.get(ServerOptions.VALIDATE_ON_ACQUIRE);
    }

    public boolean validateOnRelease() {
        return values.get(ServerOptions.VALIDATE_ON_RELEASE);
    }

    /** Zero means that connections are not validated because they were idle. */
    public Duration validationInterval() {
        return values.get(ServerOptions.VALIDATION_INTERVAL);
    }

    public boolean warmupOnCreate() {
        return values.get(ServerOptions.WARMUP_ON_CREATE);
    }

    public int warmupConnections() {
        return values.get(ServerOptions.WARMUP_CONNECTIONS);
    }

    public ExhaustionPolicy exhaustionPolicy() {
        return values.get(ServerOptions.EXHAUSTION_POLICY);
    }

    public int overflowMax() {
        return values.get(ServerOptions.OVERFLOW_MAX);
    }

    /** Connects per second. Zero means no limit. */
    public int connectionRateLimit() {
        return values.get(ServerOptions.CONNECTION_RATE_LIMIT);
    }

    /** Zero means that nothing is reported. */
    public Duration leakDetectionThreshold() {
        return values.get(ServerOptions.LEAK_DETECTION_THRESHOLD);
    }

    public int fetchSize() {
        return values.get(ServerOptions.FETCH_SIZE);
    }

    public boolean collectStatistics() {
        return values.get(ServerOptions.COLLECT_STATISTICS);
    }

    public boolean collectQueryStats() {
        return values.get(ServerOptions.COLLECT_QUERY_STATS);
    }

    /** The options that were given, as text, by key. */
    public Map<String, String> options() {
        return values.texts();
    }

    /**
     * Whether all options but {@code min_connections} and {@code max_connections} have the same values. It does not
     * matter whether a value was given or is the default.
     */
    public boolean sameExceptSizes(PoolConfiguration other) {
        return ServerOptions.all().stream()
                .filter(option -> option != ServerOptions.MIN_CONNECTIONS && option != ServerOptions.MAX_CONNECTIONS)
                .allMatch(option -> Objects.equals(values.find(option), other.values.find(option)));
    }

    OptionValues values() {
        return values;
    }

    /** Refuses what is allowed alone and not together. */
    static void check(OptionValues values) throws RemoteException {
        int max = values.get(ServerOptions.MAX_CONNECTIONS);
        atMost(values.given(ServerOptions.MIN_CONNECTIONS), max, ServerOptions.MIN_CONNECTIONS);
        atMost(values.given(ServerOptions.WARMUP_CONNECTIONS), max, ServerOptions.WARMUP_CONNECTIONS);
    }

    private static void atMost(@Nullable Integer value, int max, RemoteOption<Integer> option) throws RemoteException {
        if (value != null && value > max) {
            throw RemoteException.invalidOption(option.key(), value, "at most max_connections, which is " + max);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PoolConfiguration that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "PoolConfiguration" + values;
    }

    /** Collects options. They are checked by {@link #build}. */
    public static final class Builder {
        private OptionValues values;

        private Builder(OptionValues values) {
            this.values = values;
        }

        public Builder minConnections(int value) {
            return set(ServerOptions.MIN_CONNECTIONS, value);
        }

        public Builder maxConnections(int value) {
            return set(ServerOptions.MAX_CONNECTIONS, value);
        }

        public Builder connectTimeout(Duration value) {
            return set(ServerOptions.CONNECT_TIMEOUT, value);
        }

        public Builder queryTimeout(Duration value) {
            return set(ServerOptions.QUERY_TIMEOUT, value);
        }

        public Builder acquireTimeout(Duration value) {
            return set(ServerOptions.ACQUIRE_TIMEOUT, value);
        }

        public Builder idleTimeout(Duration value) {
            return set(ServerOptions.IDLE_TIMEOUT, value);
        }

        public Builder maxLifetime(Duration value) {
            return set(ServerOptions.MAX_LIFETIME, value);
        }

        public Builder resetOnRelease(boolean value) {
            return set(ServerOptions.RESET_ON_RELEASE, value);
        }

        public Builder validateOnAcquire(boolean value) {
            return set(ServerOptions.VALIDATE_ON_ACQUIRE, value);
        }

        public Builder validateOnRelease(boolean value) {
            return set(ServerOptions.VALIDATE_ON_RELEASE, value);
        }

        public Builder validationInterval(Duration value) {
            return set(ServerOptions.VALIDATION_INTERVAL, value);
        }

        public Builder warmupOnCreate(boolean value) {
            return set(ServerOptions.WARMUP_ON_CREATE, value);
        }

        public Builder warmupConnections(int value) {
            return set(ServerOptions.WARMUP_CONNECTIONS, value);
        }

        public Builder exhaustionPolicy(ExhaustionPolicy value) {
            return set(ServerOptions.EXHAUSTION_POLICY, value);
        }

        public Builder overflowMax(int value) {
            return set(ServerOptions.OVERFLOW_MAX, value);
        }

        public Builder connectionRateLimit(int value) {
            return set(ServerOptions.CONNECTION_RATE_LIMIT, value);
        }

        public Builder leakDetectionThreshold(Duration value) {
            return set(ServerOptions.LEAK_DETECTION_THRESHOLD, value);
        }

        public Builder fetchSize(int value) {
            return set(ServerOptions.FETCH_SIZE, value);
        }

        public Builder collectStatistics(boolean value) {
            return set(ServerOptions.COLLECT_STATISTICS, value);
        }

        public Builder collectQueryStats(boolean value) {
            return set(ServerOptions.COLLECT_QUERY_STATS, value);
        }

        private <T> Builder set(RemoteOption<T> option, T value) {
            values = values.with(option, value);
            return this;
        }

        /** Checks the options. Throws RD032 if one is not allowed. */
        public PoolConfiguration build() throws RemoteException {
            check(values.checked());
            return new PoolConfiguration(values);
        }
    }
}
