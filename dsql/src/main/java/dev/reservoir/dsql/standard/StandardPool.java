package dev.reservoir.dsql.standard;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.DsqlTokens;
import dev.reservoir.dsql.connect.BackingPool;
import dev.reservoir.dsql.connect.ConnectionOpener;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.DsqlLimits;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool of standard mode: HikariCP on a data source that connects with fresh tokens and within the rate limit. The
 * pool is kept at its full size. It is warmed up before the first checkout, and expired connections are replaced at the
 * pace of the keeper. Never uses a class of the reservoir.
 *
 * <p>HikariCP opens its own connections, one after the other on one thread. So the warm-up and the keeper never open
 * connections beside it. They stand between HikariCP and the database, and decide when and how often a connect is
 * tried.
 */
public final class StandardPool implements BackingPool {
    /** Longest lifetime. It leaves time for the longest transaction before the server closes the connection. */
    static final Duration LIFETIME_MAX = DsqlLimits.CONNECTION_AGE_MAX.minus(DsqlLimits.TRANSACTION_MAX);

    /** Shortest allowed lifetime. HikariCP replaces a shorter one with its own default. */
    private static final Duration LIFETIME_MIN = Duration.ofSeconds(30);

    /** Interval at which the metrics are logged at debug level. */
    private static final Duration METRICS_INTERVAL = Duration.ofSeconds(15);

    /** Longest time for the warm-up, in addition to the time that the rate limit requires. */
    private static final Duration WARMUP_TIMEOUT = Duration.ofSeconds(60);

    /** Keeps a connection after one of the many statements that DSQL does not support. It remains usable. */
    private static final SQLExceptionOverride KEEP_AFTER_UNSUPPORTED = new SQLExceptionOverride() {
        @java.lang.Override
        public SQLExceptionOverride.Override adjudicate(SQLException error) {
            return "0A000".equals(error.getSQLState())
                    ? SQLExceptionOverride.Override.DO_NOT_EVICT
                    : SQLExceptionOverride.Override.CONTINUE_EVICT;
        }
    };

    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final HikariDataSource hikari;
    private final ConnectionOpener opener;
    private final PoolMetrics poolMetrics = new PoolMetrics();
    private final SystemTime time;
    private final @Nullable Budget budget;
    private volatile boolean closed;

    /** The settings of a pool. */
    public record Plan(
            String name,
            int size,
            Duration startDelay,
            double ratePerSecond,
            int burst,
            List<Consumer<HikariConfig>> settings) {}

    private StandardPool(
            Plan plan,
            ClusterLogin cluster,
            DsqlTokens tokens,
            Permits permits,
            SystemTime time,
            @Nullable Budget budget) {
        this.time = time;
        this.budget = budget;
        opener = new ConnectionOpener(cluster, tokens, permits, ClusterLogin.driver());
        HikariConfig config = new HikariConfig();
        config.setPoolName(plan.name);
        config.setMaximumPoolSize(plan.size);
        config.setMinimumIdle(plan.size);
        config.setIdleTimeout(0);
        config.setMaxLifetime(LIFETIME_MAX.toMillis());
        // The start never fails because of the database, and the first connect is left to the warm-up.
        config.setInitializationFailTimeout(-1);
        config.setExceptionOverride(KEEP_AFTER_UNSUPPORTED);
        plan.settings.forEach(setting -> setting.accept(config));
        check(config);
        if (config.getMetricRegistry() == null && config.getMetricsTrackerFactory() == null) {
            config.setMetricsTrackerFactory(poolMetrics);
        }
        int size = config.getMaximumPoolSize();
        PoolWarmup warmup = new PoolWarmup(size, new SplittableRandom(), TimeUnit.NANOSECONDS::sleep);
        PoolKeeper keeper = new PoolKeeper(size, this::waiting, System::nanoTime, TimeUnit.NANOSECONDS::sleep);
        config.setDataSource(new PacedConnects(opener, warmup, keeper).asDataSource());
        pause(plan.startDelay);
        hikari = new HikariDataSource(config);
        log.info(
                "DSQL connection pool configured  max_open_conns={} current_open={} max_conn_lifetime={} max_conn_idle_time=0s",
                size,
                open(),
                DurationText.format(Duration.ofMillis(config.getMaxLifetime())));
        log.info("Starting DSQL connection pool warmup");
        warmup.await(this::open, WARMUP_TIMEOUT.plusSeconds((long) (size / permits.ratePerSecond())));
        scheduleMetricsLog();
    }

    /** Starts the pool. Blocks for the random start delay, if there is one, and for the warm-up. */
    public static StandardPool start(
            Plan plan, ClusterLogin cluster, DsqlTokens tokens, @Nullable Permits given, @Nullable Budget budget) {
        SystemTime time = new SystemTime("dsql-pool-timer");
        try {
            Permits permits = given != null ? given : new LocalPermits(plan.ratePerSecond, plan.burst, time);
            return new StandardPool(plan, cluster, tokens, permits, time, budget);
        } catch (Throwable e) {
            time.close();
            throw e;
        }
    }

    private static void pause(Duration delay) {
        if (delay.isZero()) {
            return;
        }
        log.info("DSQL staggered startup  delay={}", DurationText.format(delay));
        try {
            TimeUnit.MILLISECONDS.sleep(delay.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void check(HikariConfig config) {
        long lifetime = config.getMaxLifetime();
        if (lifetime < LIFETIME_MIN.toMillis() || lifetime > LIFETIME_MAX.toMillis()) {
            throw new IllegalArgumentException(
                    "maxLifetime is " + lifetime + " ms; allowed: " + LIFETIME_MIN.toMillis() + " to "
                            + LIFETIME_MAX.toMillis()
                            + " ms, because the server closes connections after 60 minutes and a transaction may take 5");
        }
    }

    private int open() {
        HikariPoolMXBean pool = hikari.getHikariPoolMXBean();
        return pool == null ? 0 : pool.getTotalConnections();
    }

    /** Returns the number of waiting callers. Also called while {@code hikari} is being created and is null. */
    @SuppressWarnings("NullAway")
    private int waiting() {
        HikariDataSource made = hikari;
        HikariPoolMXBean pool = made == null ? null : made.getHikariPoolMXBean();
        return pool == null ? 0 : pool.getThreadsAwaitingConnection();
    }

    private void scheduleMetricsLog() {
        if (closed) {
            return;
        }
        var unused = time.schedule(METRICS_INTERVAL.toNanos(), () -> {
            if (!closed && log.isDebugEnabled()) {
                log.debug(
                        "DSQL pool metrics  {}",
                        poolMetrics.of(hikari.getHikariPoolMXBean(), hikari.getMaximumPoolSize()));
            }
            scheduleMetricsLog();
        });
    }

    @Override
    public Connection getConnection() throws SQLException {
        return hikari.getConnection();
    }

    @Override
    public Map<String, Double> metrics() {
        Map<String, Double> all = poolMetrics.of(hikari.getHikariPoolMXBean(), hikari.getMaximumPoolSize());
        all.putAll(opener.metrics());
        return all;
    }

    @Override
    public DataSource dataSource() {
        return hikari;
    }

    @Override
    public void close() {
        closed = true;
        hikari.close();
        time.close();
        if (budget != null) {
            budget.close();
        }
    }
}
