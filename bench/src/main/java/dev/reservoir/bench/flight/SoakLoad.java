package dev.reservoir.bench.flight;

import static java.util.Objects.requireNonNull;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.FlightSqlPool;
import dev.reservoir.flightsql.PoolConfig;
import dev.reservoir.flightsql.QueryOptions;
import dev.reservoir.flightsql.SessionHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Threads that use a pool in every way while it is disturbed, and count what came of it. */
final class SoakLoad {
    private static final int CALLERS = 8;
    private static final int CONNECTIONS = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration CANCEL_TIMEOUT = Duration.ofMillis(500);

    /** A session begins a transaction, executes and rolls back. It waits for the steps that stop a statement. */
    private static final Duration SESSION_LONGEST =
            TIMEOUT.plus(TIMEOUT.plus(CANCEL_TIMEOUT).multipliedBy(3));

    /** Bounds the wait for the callers at the end. Their calls have timeouts. */
    private static final long END_PATIENCE_SECONDS = 60;

    private static final int SURPRISES_KEPT = 10;

    private static final List<String> KINDS = List.of(
            "session", "slow query", "result closed early", "wrong query", "insert", "slow insert", "cancel", "query");

    final AtomicLong succeeded = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    private final AtomicReference<Overrun> worst = new AtomicReference<>(new Overrun(Long.MIN_VALUE, "none"));
    final AtomicLong surprisesCount = new AtomicLong();
    final Queue<String> surprises = new ConcurrentLinkedQueue<>();

    /**
     * How long a call went on after its deadline.
     *
     * @param nanos negative if it ended before
     * @param call what was called
     */
    record Overrun(long nanos, String call) {
        Overrun max(Overrun other) {
            return other.nanos > nanos ? other : this;
        }
    }

    /** The rows whose insert the server has acknowledged. */
    final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();

    private final AtomicLong nextRow = new AtomicLong();
    private final FlightSqlPool pool;
    private final List<Thread> callers = new ArrayList<>();
    private volatile boolean ends;

    SoakLoad(FlightSqlPool pool, SplittableRandom random) {
        this.pool = pool;
        for (int i = 0; i < CALLERS; i++) {
            SplittableRandom own = random.split();
            callers.add(new Thread(() -> callUntilEnd(own), "soak-caller-" + i));
        }
    }

    static PoolConfig.Builder config() {
        return PoolConfig.builder()
                .name("soak")
                .minIdle(1)
                .maxSize(CONNECTIONS)
                .connectsPerMinute(100_000)
                .acquireTimeout(TIMEOUT)
                .defaultQueryTimeout(TIMEOUT)
                .connectTimeout(Duration.ofSeconds(1))
                .cancelTimeout(CANCEL_TIMEOUT);
    }

    static int connections() {
        return CONNECTIONS;
    }

    /** Calls everything once without faults: on a busy machine, loading the classes can take seconds. Blocks. */
    void warmUp() throws InterruptedException {
        if (!pool.awaitReady(1, Duration.ofMinutes(1))) {
            throw new IllegalStateException("no connection within a minute, without any fault");
        }
        QueryOptions patient = QueryOptions.defaults().withTimeout(Duration.ofMinutes(1));
        for (int kind = 0; kind < KINDS.size(); kind++) {
            try {
                call(kind, patient, new SplittableRandom(kind));
            } catch (FlightSqlException expected) {
                // One of the queries is wrong on purpose.
            }
        }
    }

    Overrun worst() {
        return requireNonNull(worst.get());
    }

    void start() {
        callers.forEach(Thread::start);
    }

    /** Lets the callers end. Returns how many did not. Blocks. */
    long end() throws InterruptedException {
        ends = true;
        for (Thread caller : callers) {
            caller.join(TimeUnit.SECONDS.toMillis(END_PATIENCE_SECONDS));
        }
        return callers.stream().filter(Thread::isAlive).count();
    }

    private void callUntilEnd(SplittableRandom random) {
        while (!ends) {
            Duration timeout = random.nextInt(3) == 0 ? Duration.ofMillis(1 + random.nextInt(100)) : TIMEOUT;
            int kind = random.nextInt(KINDS.size());
            Duration longest = kind == 0 ? SESSION_LONGEST : timeout;
            long began = System.nanoTime();
            String outcome = "";
            try {
                call(kind, QueryOptions.defaults().withTimeout(timeout), random);
                succeeded.incrementAndGet();
            } catch (FlightSqlException | NoConnectionException expected) {
                failed.incrementAndGet();
                outcome = ": " + expected.getMessage();
            } catch (Throwable surprise) {
                surprisesCount.incrementAndGet();
                if (surprises.size() < SURPRISES_KEPT) {
                    surprises.add(surprise.toString());
                }
            }
            long nanos = System.nanoTime() - began - longest.toNanos();
            Overrun overrun = new Overrun(nanos, KINDS.get(kind) + " with " + timeout.toMillis() + " ms" + outcome);
            worst.accumulateAndGet(overrun, Overrun::max);
        }
    }

    private void call(int kind, QueryOptions options, SplittableRandom random) {
        switch (kind) {
            case 0 -> inSession();
            case 1 -> pool.query("SELECT 1 /* wait 200 ms */", options).list(row -> row.getLong(0));
            case 2 -> pool.query("SELECT i FROM range(50000) t(i)", options).close();
            case 3 -> pool.query("SELECT * FROM no_such_table", options).close();
            case 4 -> insert("", options);
            case 5 -> insert(" /* wait 50 ms */", options);
            case 6 -> {
                var future = pool.async().query("SELECT 1 /* wait 100 ms */", options);
                // Some are cancelled in the queue, some while they run.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(20)));
                future.cancel(true);
            }
            default -> pool.query("SELECT i FROM range(5000) t(i)", options).list(row -> row.getLong(0));
        }
    }

    private void insert(String comment, QueryOptions options) {
        long row = nextRow.incrementAndGet();
        pool.update("INSERT INTO soak VALUES (?)" + comment, List.of(row), options);
        acknowledged.add(row);
    }

    /** The rows of a transaction that is not committed must never appear. */
    private void inSession() {
        try (SessionHandle session = pool.acquireSession()) {
            session.beginTransaction();
            session.update("INSERT INTO soak VALUES (-1)");
        }
    }
}
