package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.flightsql.server.CancelSupport;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import dev.reservoir.testkit.FaultyProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Cut connections, restarts, silent networks, refused sessions, timeouts and cancels under load. Afterwards no
 * connection, handle or Arrow memory is missing, and no caller was kept past its deadline.
 */
class ChaosTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private static final int CALLERS = 6;
    private static final long SECONDS = Long.getLong("chaos.seconds", 6);

    /** What a call may take beyond its deadline on a machine with other work. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final FlightSqlServer server = flight.server();
    private final FaultyProxy relay = FaultyProxy.to(server.port());
    private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
    private final AtomicLong succeeded = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
    private volatile boolean ends;

    @Test
    void nothingIsLost() throws Exception {
        long seed = Long.getLong("chaos.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        server.execute("CREATE OR REPLACE TABLE chaos (x BIGINT)");
        List<Thread> threads = new ArrayList<>();
        try (TestPool test = TestPool.through(
                relay,
                config -> config.maxSize(4)
                        .acquireTimeout(Duration.ofSeconds(2))
                        .defaultQueryTimeout(Duration.ofSeconds(2))
                        .connectTimeout(Duration.ofSeconds(1))
                        .cancelTimeout(Duration.ofMillis(500)))) {
            for (int i = 0; i < CALLERS; i++) {
                SplittableRandom own = random.split();
                threads.add(new Thread(() -> callUntilEnd(test.pool, own), "caller-" + i));
            }
            threads.forEach(Thread::start);
            disturb(random);
            ends = true;
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(60));
                assertThat(thread.isAlive()).as("%s, seed %s", thread, seed).isFalse();
            }
            server.setRules(SessionRules.cooperative());
            test.awaitMetric("pool.conn.in_use", 0);
            assertThat(test.number("SELECT 1")).as("seed %s", seed).isEqualTo(1);
        } finally {
            relay.close();
        }
        assertThat(surprises).as("seed %s", seed).isEmpty();
        assertThat(succeeded.get() + failed.get()).as("calls, seed %s", seed).isGreaterThanOrEqualTo(CALLERS);
        assertThat(longestNanos.get()).isLessThan(TimeUnit.SECONDS.toNanos(4) + GRACE_NANOS);
    }

    /** Real time passes here, because sockets, gRPC and DuckDB know no other. */
    private void disturb(SplittableRandom random) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (System.nanoTime() < end) {
            switch (random.nextInt(6)) {
                case 0 -> relay.endOpen();
                case 1 -> server.restart();
                case 2 -> server.setRules(SessionRules.cooperative().withSessionsMax(server.sessions() + 3));
                case 3 -> server.setRules(SessionRules.swanLake().withIdleExpiry(Duration.ofMillis(500)));
                case 4 -> server.setRules(SessionRules.cooperative().withCancel(CancelSupport.NONE));
                default -> {
                    relay.all(FaultyProxy.Mode.SWALLOW);
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
                    relay.all(FaultyProxy.Mode.PASS);
                }
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
        }
    }

    private void callUntilEnd(FlightSqlPool pool, SplittableRandom random) {
        while (!ends) {
            long began = System.nanoTime();
            try {
                call(pool, random);
                succeeded.incrementAndGet();
            } catch (FlightSqlException | NoConnectionException expected) {
                failed.incrementAndGet();
            } catch (Throwable surprise) {
                surprises.add(surprise);
            }
            longestNanos.accumulateAndGet(System.nanoTime() - began, Math::max);
        }
    }

    private void call(FlightSqlPool pool, SplittableRandom random) {
        QueryOptions brief = QueryOptions.defaults().withTimeout(Duration.ofMillis(1 + random.nextInt(100)));
        switch (random.nextInt(8)) {
            case 0 -> pool.query("SELECT 1 /* wait 200 ms */", brief).list(row -> row.getLong(0));
            case 1 -> pool.query("SELECT i FROM range(50000) t(i)").close();
            case 2 -> pool.query("SELECT * FROM no_such_table").close();
            case 3 -> pool.update("INSERT INTO chaos VALUES (?)", List.of(random.nextLong()));
            case 4 -> pool.update("INSERT INTO chaos VALUES (1) /* wait 50 ms */", brief);
            case 5 -> {
                try (SessionHandle session = pool.acquireSession()) {
                    session.beginTransaction();
                    session.update("INSERT INTO chaos VALUES (2)");
                }
            }
            case 6 -> pool.async().query("SELECT 1 /* wait 100 ms */").cancel(true);
            default -> pool.query("SELECT i FROM range(5000) t(i)").list(row -> row.getLong(0));
        }
    }
}
