package dev.reservoir.dsql;

import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.connect.BackingPool;
import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.dsql.token.SharedTokens;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A data source for an Aurora DSQL cluster. It logs in with IAM tokens, verifies TLS, and stays within the cluster's
 * limits. Never connects without a permit, and never shows a token.
 *
 * <p>In reservoir mode the connections come from a {@link dev.reservoir.jdbc.ReservoirDataSource}, in standard mode
 * from HikariCP. {@link #unwrap} returns either of them.
 *
 * <pre>{@code
 * DsqlDataSource dataSource = DsqlDataSource.builder()
 *         .endpoint("<id>.dsql.us-east-1.on.aws")
 *         .build();
 * }</pre>
 *
 * <p>{@link #getConnection} blocks if no connection is ready, and {@link #close} blocks. No other method blocks.
 *
 * <p>The class is not final so that frameworks can make proxies of it. It is not designed for other subclasses.
 */
public class DsqlDataSource implements DataSource, AutoCloseable {
    private static final org.slf4j.Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final String name;
    private final Endpoint endpoint;
    private final Mode mode;
    private final SharedTokens sharedTokens;
    private final BackingPool pool;
    private final @Nullable ObjectName jmxName;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The pool that provides the connections. */
    public enum Mode {
        /** A reservoir: it keeps connections ready, and opens successors before their predecessors expire. */
        RESERVOIR,
        /** HikariCP, warmed up and kept full. Needs {@code com.zaxxer:HikariCP} on the class path. */
        STANDARD
    }

    DsqlDataSource(String name, Endpoint endpoint, Mode mode, SharedTokens sharedTokens, BackingPool pool) {
        this.name = name;
        this.endpoint = endpoint;
        this.mode = mode;
        this.sharedTokens = sharedTokens;
        this.pool = pool;
        this.jmxName = JmxBeans.registerNumbered(
                new Bean(this),
                DsqlDataSourceMXBean.class,
                "DsqlDataSource",
                "name",
                name,
                e -> log.warn("DSQL data source not shown in JMX  name={} error=\"{}\"", name, Text.oneLine(e)));
    }

    /** Returns a builder, which starts the data source. Only an endpoint or a URL is required. Does not block. */
    public static DsqlDataSourceBuilder builder() {
        return new DsqlDataSourceBuilder();
    }

    /** Does the same as {@link #fromEnvironment(Map)}, with the variables of this process. Does not block. */
    public static DsqlDataSourceBuilder fromEnvironment() {
        return fromEnvironment(System.getenv());
    }

    /**
     * Returns a builder with the settings of the environment: {@code CLUSTER_ENDPOINT}, {@code REGION} and
     * {@code DSQL_*}. The data source uses a reservoir if {@code DSQL_RESERVOIR_ENABLED} is true, and HikariCP
     * otherwise. Does not block.
     *
     * @throws IllegalArgumentException if a value cannot be parsed
     */
    public static DsqlDataSourceBuilder fromEnvironment(Map<String, String> variables) {
        return builder().environment(variables);
    }

    /**
     * Acquires a connection. The caller releases it by closing it. Returns at once if a connection is ready. Otherwise
     * it blocks for at most {@code acquireTimeout} or HikariCP's {@code connectionTimeout}, which are 30 seconds by
     * default.
     */
    @Override
    public Connection getConnection() throws SQLException {
        return pool.getConnection();
    }

    /** Not supported, because the settings name the user, and the password is a token. */
    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                this + ": getConnection(username, password) is not supported; build a data source for each user",
                "0A000");
    }

    /** The name of this data source in logs, threads and JMX. */
    public String name() {
        return name;
    }

    /** The cluster's host name. */
    public String endpoint() {
        return endpoint.host();
    }

    /** The pool that provides the connections. */
    public Mode mode() {
        return mode;
    }

    /** The tokens, which data sources with the same cluster, user, duration and credentials share. */
    public DsqlTokens tokens() {
        return sharedTokens.tokens();
    }

    /**
     * Returns all current values, each under its metric name. Values whose names end in {@code _total} only grow. The
     * names start with {@code dsql_reservoir_} in reservoir mode and with {@code dsql_pool_} or {@code dsql_connect} in
     * standard mode. Those of the tokens start with {@code dsql_token_} in both. Does not block.
     */
    public Map<String, Double> metrics() {
        Map<String, Double> all = new LinkedHashMap<>(pool.metrics());
        all.putAll(tokens().stats().asMetrics(Instant.now()));
        return all;
    }

    /** Closes all connections and stops all threads. Blocks for a limited time for connections in use. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            JmxBeans.unregister(jmxName);
            try {
                pool.close();
            } finally {
                sharedTokens.close();
            }
        }
    }

    /** Whether {@link #close} has been called. */
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

    /** Returns null, because logs go to slf4j. */
    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    /** Not supported, because logs go to slf4j. */
    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        if (out != null) {
            throw new SQLFeatureNotSupportedException("setLogWriter: logs go to slf4j", "0A000");
        }
    }

    /** Has no effect. Settings bound the duration of a connect or a checkout. */
    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("logs go to slf4j", "0A000");
    }

    private record Bean(DsqlDataSource dataSource) implements DsqlDataSourceMXBean {
        @Override
        public String getEndpoint() {
            return dataSource.endpoint();
        }

        @Override
        public String getUser() {
            return dataSource.tokens().user();
        }

        @Override
        public String getMode() {
            return dataSource.mode().name();
        }

        @Override
        public Map<String, Double> getMetrics() {
            return dataSource.metrics();
        }
    }

    /** Returns the name and the cluster, and no secret. */
    @Override
    public String toString() {
        return "DsqlDataSource[" + name + ", " + endpoint.host() + "]";
    }
}
