package dev.reservoir.dsql;

import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.dsql.connect.BackingPool;
import dev.reservoir.dsql.connect.PlainDataSource;
import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.dsql.token.DsqlTokens;
import dev.reservoir.dsql.token.SharedTokens;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Connections to an Aurora DSQL cluster: with IAM tokens for passwords, over checked TLS, inside the cluster's limits. In reservoir
 * mode they come from a {@link dev.reservoir.jdbc.ReservoirDataSource}, in standard mode from HikariCP; {@link #unwrap} gives either.
 * Never connects without a permit, and never shows a token.
 *
 * <pre>{@code
 * DsqlDataSource dataSource = DsqlDataSource.builder()
 *         .endpoint("<id>.dsql.us-east-1.on.aws")
 *         .build();
 * }</pre>
 *
 * <p>Block: {@link #getConnection} if no connection is ready, and {@link #close}. All others do not.
 *
 * <p>The class is open for proxies that frameworks make of it. It is not made for other subclasses.
 */
public class DsqlDataSource extends PlainDataSource implements AutoCloseable {
    private final String name;
    private final Endpoint endpoint;
    private final Mode mode;
    private final SharedTokens held;
    private final BackingPool pool;
    private final @Nullable ObjectName jmxName;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Where connections come from. */
    public enum Mode {
        /** A reservoir: connections stand ready, and successors are opened before their predecessors expire. */
        RESERVOIR,
        /** HikariCP, warmed up and kept full. Needs {@code com.zaxxer:HikariCP} on the class path. */
        STANDARD
    }

    DsqlDataSource(String name, Endpoint endpoint, Mode mode, SharedTokens held, BackingPool pool) {
        this.name = name;
        this.endpoint = endpoint;
        this.mode = mode;
        this.held = held;
        this.pool = pool;
        this.jmxName = DsqlDataSourceJmx.register(this);
    }

    /** Collects settings, then starts. Only an endpoint or a URL is required. */
    public static DsqlDataSourceBuilder builder() {
        return new DsqlDataSourceBuilder();
    }

    /** As {@link #fromEnvironment(Map)}, with the variables of this process. */
    public static DsqlDataSourceBuilder fromEnvironment() {
        return fromEnvironment(System.getenv());
    }

    /**
     * A builder with the settings of the environment: {@code CLUSTER_ENDPOINT}, {@code REGION}, {@code DSQL_*}. It makes a reservoir
     * if {@code DSQL_RESERVOIR_ENABLED} is true, and HikariCP otherwise.
     *
     * @throws IllegalArgumentException for a value that cannot be read
     */
    public static DsqlDataSourceBuilder fromEnvironment(Map<String, String> variables) {
        return builder().environment(variables);
    }

    /**
     * Lends a connection; closing it gives it back. At once if one is ready, otherwise it blocks: for {@code acquireTimeout} or
     * HikariCP's {@code connectionTimeout}, 30 seconds by default.
     */
    @Override
    public Connection getConnection() throws SQLException {
        return pool.getConnection();
    }

    /** By what name it is known in logs, threads and JMX. */
    public String name() {
        return name;
    }

    /** The cluster's host name. */
    public String endpoint() {
        return endpoint.host();
    }

    /** Where connections come from. */
    public Mode mode() {
        return mode;
    }

    /** The tokens that connects are made with. Other data sources of this process with the same cluster, user and credentials have the same. */
    public DsqlTokens tokens() {
        return held.tokens();
    }

    /**
     * Every number of this moment under the name that it has as a metric; those that end in {@code _total} only grow. In reservoir mode
     * {@code dsql_reservoir_*}, in standard mode {@code dsql_pool_*}, and {@code dsql_token_*} in both.
     */
    public Map<String, Double> metrics() {
        Map<String, Double> all = new LinkedHashMap<>(pool.metrics());
        all.putAll(tokens().stats().asMetrics(Instant.now()));
        return all;
    }

    /** Closes all connections and ends all threads. Blocks until connections on loan are back, for a while. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            JmxBeans.unregister(jmxName);
            try {
                pool.close();
            } finally {
                held.close();
            }
        }
    }

    /** Whether it was closed, or is being closed. */
    public boolean isClosed() {
        return closed.get();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : pool.dataSource().unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        if (type.isInstance(this)) {
            return true;
        }
        try {
            return pool.dataSource().isWrapperFor(type);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Its name and its cluster, and no secret. */
    @Override
    public String toString() {
        return "DsqlDataSource[" + name + ", " + endpoint.host() + "]";
    }
}
