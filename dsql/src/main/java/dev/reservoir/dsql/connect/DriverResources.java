package dev.reservoir.dsql.connect;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.DsqlDriver;
import dev.reservoir.dsql.DsqlTokens;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.DsqlLimits;
import dev.reservoir.dsql.token.SharedTokens;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the limits and tokens for connections by URL: one rate limit per cluster, and one token per cluster, user,
 * duration and profile. Data sources of this process share the tokens. Nobody closes a driver, so an entry that is
 * unused for a while is closed automatically. Never pools connections.
 */
public final class DriverResources {
    /** Time for which tokens and permits are kept after their last use. It is about the validity of a token. */
    public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(15);

    /** Most entries of each kind. Beyond that, the least recently used entry is closed. */
    private static final int KEPT_MAX = 100;

    private static final Logger log = LoggerFactory.getLogger(DsqlDriver.class);
    private static final String LEASES_IGNORED = "DSQL driver does not count connections over the cluster";

    private final Map<String, String> environment;
    private final Supplier<? extends Time> times;

    /** Guards the fields below. While it is held, nothing is opened or closed, except that a budget opens. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<TokenKey, Kept<SharedTokens>> tokens = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Kept<Rate>> rates = new LinkedHashMap<>(16, 0.75f, true);
    private boolean idleCheckScheduled;

    /** Created with the first connect, because it may have a thread. Null before and after {@link #closeAll}. */
    private @Nullable Time time;

    /**
     * Takes the limits from these variables.
     *
     * @param times creates the timer; {@link #closeAll} closes it if it can be closed
     */
    public DriverResources(Map<String, String> environment, Supplier<? extends Time> times) {
        this.environment = environment;
        this.times = times;
    }

    /** Returns the instance of this process, with limits from its environment. Does not block. */
    public static DriverResources ofThisProcess() {
        return ProcessWide.RESOURCES;
    }

    /** Opens a connection. Blocks for a permit, the token and the connect. */
    public Connection connect(ClusterLogin cluster, @Nullable String profile, Duration tokenDuration)
            throws SQLException {
        Rate rate;
        DsqlTokens clusterTokens;
        List<AutoCloseable> surplus = new ArrayList<>();
        lock.lock();
        try {
            Time present = time();
            String host = cluster.endpoint().host();
            rate = used(rates, host, () -> newRate(host, present), present, surplus);
            TokenKey key = new TokenKey(host, cluster.region(), cluster.user(), tokenDuration, profile);
            Supplier<SharedTokens> making = () -> SharedTokens.acquire(cluster, null, profile, tokenDuration);
            clusterTokens = used(tokens, key, making, present, surplus).tokens();
            scheduleIdleCheck(present);
        } finally {
            lock.unlock();
            closeLater(surplus);
        }
        return new ConnectionOpener(
                        cluster,
                        clusterTokens,
                        rate.permits,
                        ClusterLogin.driver(),
                        rate.connects,
                        ConnectionOpener.PERMIT_TIMEOUT)
                .open();
    }

    /** The caller holds the lock. */
    private Time time() {
        Time present = time;
        if (present == null) {
            present = times.get();
            time = present;
        }
        return present;
    }

    private Rate newRate(String host, Time present) {
        DsqlVariables variables = DsqlVariables.read(environment);
        Budget budget = variables.sharedRate(host, LEASES_IGNORED);
        Permits permits = budget != null && budget.permits() != null
                ? budget.permits()
                : new LocalPermits(
                        variables.ratePerSecond(DsqlLimits.RATE_PER_SECOND_DEFAULT),
                        variables.burst(DsqlLimits.BURST_DEFAULT),
                        present);
        return new Rate(permits, new ConnectCounts(new SplittableRandom()), budget);
    }

    /** Returns the entry, and makes it if there is none. The caller holds the lock, and closes the surplus. */
    private static <K, V extends AutoCloseable> V used(
            Map<K, Kept<V>> all, K key, Supplier<V> making, Time present, List<AutoCloseable> surplus) {
        Kept<V> kept = all.get(key);
        if (kept == null) {
            kept = new Kept<>(making.get());
            if (all.size() == KEPT_MAX) {
                Iterator<Kept<V>> eldest = all.values().iterator();
                surplus.add(eldest.next().value);
                eldest.remove();
            }
            all.put(key, kept);
        }
        kept.usedNanos = present.nanos();
        return kept.value;
    }

    /** Schedules the next check for idle entries. The caller holds the lock. */
    private void scheduleIdleCheck(Time present) {
        if (!idleCheckScheduled) {
            idleCheckScheduled = true;
            var unused = present.schedule(IDLE_TIMEOUT.toNanos(), () -> closeIdle(present));
        }
    }

    private void closeIdle(Time present) {
        List<AutoCloseable> idle = new ArrayList<>();
        lock.lock();
        try {
            if (time != present) {
                // Everything was closed in the meantime.
                return;
            }
            idleCheckScheduled = false;
            long before = present.nanos() - IDLE_TIMEOUT.toNanos();
            removeUnused(tokens, before, idle);
            removeUnused(rates, before, idle);
            if (!tokens.isEmpty() || !rates.isEmpty()) {
                scheduleIdleCheck(present);
            }
        } finally {
            lock.unlock();
        }
        closeLater(idle);
    }

    private static <K, V extends AutoCloseable> void removeUnused(
            Map<K, Kept<V>> from, long beforeNanos, List<AutoCloseable> removed) {
        from.values().removeIf(kept -> kept.usedNanos - beforeNanos <= 0 && removed.add(kept.value));
    }

    /** Closes everything, as when the driver is deregistered. Later connects start from nothing. Does not block. */
    public void closeAll() {
        List<AutoCloseable> all = new ArrayList<>();
        lock.lock();
        try {
            tokens.values().forEach(kept -> all.add(kept.value));
            rates.values().forEach(kept -> all.add(kept.value));
            tokens.clear();
            rates.clear();
            if (time instanceof AutoCloseable ending) {
                all.add(ending);
            }
            time = null;
            idleCheckScheduled = false;
        } finally {
            lock.unlock();
        }
        closeLater(all);
    }

    /** Closes the values on a separate thread, because a budget takes a few seconds to deregister. */
    private static void closeLater(List<AutoCloseable> values) {
        if (!values.isEmpty()) {
            Thread closing = new Thread(() -> values.forEach(DriverResources::close), "dsql-driver-close");
            closing.setDaemon(true);
            closing.start();
        }
    }

    private static void close(AutoCloseable value) {
        try {
            value.close();
        } catch (Exception e) {
            log.warn("DSQL driver could not close tokens or a rate limit  error=\"{}\"", Text.oneLine(e));
        }
    }

    /** The number of tokens and rate limits that are kept. */
    public int kept() {
        lock.lock();
        try {
            return tokens.size() + rates.size();
        } finally {
            lock.unlock();
        }
    }

    private static final class ProcessWide {
        private static final DriverResources RESOURCES =
                new DriverResources(System.getenv(), () -> new SystemTime("dsql-driver-timer"));
    }

    private record TokenKey(
            String host,
            String region,
            String user,
            Duration duration,
            @Nullable String profile) {}

    /** A value and the time of its last use. */
    private static final class Kept<V extends AutoCloseable> {
        private final V value;
        private long usedNanos;

        private Kept(V value) {
            this.value = value;
        }
    }

    /** The rate limit of one cluster, and the counts of its connects. */
    private record Rate(
            Permits permits,
            ConnectCounts connects,
            @Nullable Budget budget) implements AutoCloseable {
        @Override
        public void close() {
            if (budget != null) {
                budget.close();
            }
        }
    }
}
