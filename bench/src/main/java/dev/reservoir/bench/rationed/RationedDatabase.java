package dev.reservoir.bench.rationed;

import dev.reservoir.core.util.TokenBucket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A database in this process that rations connections by {@link RationLimits} and counts what its clients do. Clients
 * reach it by its name through {@link RationedDriver}, or directly. Never hands out a connection beyond its limits.
 * Never closes a connection on its own: a connection that is too old fails with 08006 when it is used.
 *
 * <p>The database decides about a connect when it arrives. It answers after {@link RationLimits#connectTime()}, also
 * with a refusal.
 */
public final class RationedDatabase implements AutoCloseable {

    static final String RATE_EXCEEDED = "53400";
    static final String TOO_MANY_OPEN = "53300";
    static final String CONNECTION_LOST = "08006";

    private static final Map<String, RationedDatabase> BY_NAME = new ConcurrentHashMap<>();

    /** Delays a connect; tests replace it. */
    @FunctionalInterface
    public interface Sleeper {
        void sleep(long nanos) throws InterruptedException;
    }

    private final String name;
    private final LongSupplier nanoClock;
    private final Sleeper sleeper;
    private volatile RationLimits limits;
    private volatile long hungAttempt;
    private volatile long hangNanos;

    /** Guards all fields below. Held only for arithmetic, never while a connect sleeps. */
    private final Object lock = new Object();

    private final Set<RationedConnection> live = new LinkedHashSet<>();
    private final Map<String, Integer> openByClient = new HashMap<>();
    private final Map<String, Long> openedByClient = new HashMap<>();
    private TokenBucket bucket;
    private int handshakes;
    private long attempts;
    private long opened;
    private long refusedByRate;
    private long refusedByCount;
    private long brokenByAge;
    private int openMax;
    private int openMin;

    /** Starts a database on real time. Clients reach it by {@link #url(String)}. */
    public static RationedDatabase start(String name, RationLimits limits) {
        return start(name, limits, System::nanoTime, RationedDatabase::sleepNanos);
    }

    static RationedDatabase start(String name, RationLimits limits, LongSupplier nanoClock, Sleeper sleeper) {
        RationedDatabase database = new RationedDatabase(name, limits, nanoClock, sleeper);
        if (BY_NAME.putIfAbsent(name, database) != null) {
            throw new IllegalArgumentException("a rationed database named " + name + " is already running");
        }
        return database;
    }

    /** A database that clients reach only directly. It answers at once, so that the caller can add the delay. */
    public static RationedDatabase withoutDelay(RationLimits limits, LongSupplier nanoClock) {
        return new RationedDatabase("", limits, nanoClock, nanos -> {});
    }

    private RationedDatabase(String name, RationLimits limits, LongSupplier nanoClock, Sleeper sleeper) {
        this.name = name;
        this.limits = limits;
        this.nanoClock = nanoClock;
        this.sleeper = sleeper;
        this.bucket = bucketOf(limits, nanoClock.getAsLong());
    }

    static @Nullable RationedDatabase named(String name) {
        return BY_NAME.get(name);
    }

    public String url(String client) {
        return RationedDriver.PREFIX + name + "/" + client;
    }

    /** Replaces the limits from now on. The bucket starts full. */
    public void limit(RationLimits changed) {
        synchronized (lock) {
            bucket = bucketOf(changed, nanoClock.getAsLong());
            limits = changed;
        }
    }

    /** Lets one connect, by its number from the first attempt, take this much longer. */
    public void hang(long attempt, Duration time) {
        hangNanos = time.toNanos();
        hungAttempt = attempt;
    }

    /** Opens a connection, or throws with SQLState 53400 or 53300. Blocks for the connect time. */
    public Connection connect(String client) throws SQLException {
        RationLimits judgedBy = limits;
        long attempt;
        String refusal;
        synchronized (lock) {
            attempt = ++attempts;
            refusal = judge(judgedBy);
            if (refusal == null) {
                handshakes++;
            }
        }
        boolean finished = false;
        try {
            pause(judgedBy.connectTime().toNanos() + (attempt == hungAttempt ? hangNanos : 0));
            if (refusal != null) {
                throw refused(refusal, judgedBy);
            }
            RationedConnection connection = welcome(client);
            finished = true;
            return connection;
        } finally {
            if (refusal == null && !finished) {
                synchronized (lock) {
                    handshakes--;
                }
            }
        }
    }

    private @Nullable String judge(RationLimits judgedBy) {
        if (live.size() + handshakes >= judgedBy.maxOpen()) {
            refusedByCount++;
            return TOO_MANY_OPEN;
        }
        if (!bucket.tryTake(nanoClock.getAsLong())) {
            refusedByRate++;
            return RATE_EXCEEDED;
        }
        return null;
    }

    private RationedConnection welcome(String client) {
        RationedConnection connection = new RationedConnection(this, client, nanoClock.getAsLong());
        synchronized (lock) {
            handshakes--;
            opened++;
            live.add(connection);
            openByClient.merge(client, 1, Integer::sum);
            openedByClient.merge(client, 1L, Long::sum);
            openMax = Math.max(openMax, live.size());
        }
        return connection;
    }

    private void pause(long nanos) throws SQLException {
        try {
            sleeper.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while connecting", "08001", e);
        }
    }

    private static SQLException refused(String sqlState, RationLimits judgedBy) {
        return sqlState.equals(RATE_EXCEEDED)
                ? new SQLException("Unable to accept connection, rate exceeded.", sqlState)
                : new SQLException(
                        "Unable to accept connection, too many open connections (" + judgedBy.maxOpen() + ").",
                        sqlState);
    }

    void closed(RationedConnection connection) {
        synchronized (lock) {
            if (live.remove(connection)) {
                openByClient.merge(connection.client, -1, Integer::sum);
                openMin = Math.min(openMin, live.size());
            }
        }
    }

    boolean isTooOld(RationedConnection connection) {
        return nanoClock.getAsLong() - connection.bornNanos >= limits.maxAge().toNanos();
    }

    void checkUsable(RationedConnection connection) throws SQLException {
        if (connection.isClosed()) {
            throw new SQLException("this connection has been closed", "08003");
        }
        if (isTooOld(connection)) {
            synchronized (lock) {
                brokenByAge++;
            }
            throw new SQLException(
                    "the server closed this connection at the age of " + limits.maxAge(), CONNECTION_LOST);
        }
    }

    /** Connections that are open and young enough to be used. */
    public int usable() {
        synchronized (lock) {
            return (int)
                    live.stream().filter(connection -> !isTooOld(connection)).count();
        }
    }

    public int open(String client) {
        synchronized (lock) {
            return openByClient.getOrDefault(client, 0);
        }
    }

    public long opened(String client) {
        synchronized (lock) {
            return openedByClient.getOrDefault(client, 0L);
        }
    }

    /** Ends all connections of a client, as a server does when the client dies. */
    public void disconnect(String client) {
        synchronized (lock) {
            live.removeIf(connection -> connection.client.equals(client));
            openByClient.remove(client);
            openMin = Math.min(openMin, live.size());
        }
    }

    /** Whether each of these clients has at least {@code connections} connections open. */
    public boolean allHave(Collection<String> clients, int connections) {
        synchronized (lock) {
            return clients.stream().allMatch(client -> openByClient.getOrDefault(client, 0) >= connections);
        }
    }

    /** Restarts the count of the fewest open connections. */
    public void markLow() {
        synchronized (lock) {
            openMin = live.size();
        }
    }

    public RationCounts counts() {
        synchronized (lock) {
            return new RationCounts(
                    attempts, opened, refusedByRate, refusedByCount, live.size(), openMax, openMin, brokenByAge);
        }
    }

    /** Removes the name. Open connections stay usable. */
    @Override
    public void close() {
        BY_NAME.remove(name, this);
    }

    private static TokenBucket bucketOf(RationLimits limits, long nowNanos) {
        return new TokenBucket(limits.ratePerSecond(), limits.burst(), nowNanos);
    }

    private static void sleepNanos(long nanos) throws InterruptedException {
        if (nanos > 0) {
            Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
        }
    }
}
