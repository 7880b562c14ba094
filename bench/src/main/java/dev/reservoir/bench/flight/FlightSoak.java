package dev.reservoir.bench.flight;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.attack.Verdict;
import dev.reservoir.flightsql.FlightSqlPool;
import dev.reservoir.flightsql.SessionHandle;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import dev.reservoir.testkit.FaultyProxy;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.arrow.memory.RootAllocator;

/**
 * Cancels, resets, restarts, half-open sockets and refused sessions under load for a given time. Afterwards it judges
 * what must hold, and prints one line for each claim.
 */
public final class FlightSoak {
    /** What a caller may wait beyond its deadline because the machine runs something else. */
    private static final Duration SCHEDULING = Duration.ofSeconds(1);

    /** Bounds the wait for what ends in the background. gRPC frees what it shares a second after its last use. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int ROWS_OF_A_QUERY = 1_000;

    private final List<Verdict> verdicts = new ArrayList<>();
    private final Queue<String> uncaught = new ConcurrentLinkedQueue<>();
    private final RootAllocator allocator = new RootAllocator();

    private FlightSoak() {}

    /** Takes {@code --seconds} and {@code --seed}. Fails if a claim does not hold. */
    public static void run(Arguments arguments) throws Exception {
        long seed = Long.parseLong(arguments.text("seed", Long.toString(System.nanoTime())));
        int seconds = arguments.number("seconds", 60);
        System.out.println("Flight SQL under faults for " + seconds + " s, seed " + seed);
        FlightSoak soak = new FlightSoak();
        try {
            soak.run(seconds, new SplittableRandom(seed));
        } finally {
            soak.verdicts.forEach(verdict -> System.out.println(verdict.line()));
        }
        if (!soak.verdicts.stream().allMatch(Verdict::holds)) {
            throw new IllegalStateException("did not hold, seed " + seed);
        }
    }

    private void run(int seconds, SplittableRandom random) throws Exception {
        Orphans orphans = Orphans.watch();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> uncaught.add(thread.getName() + ": " + error));
        // gRPC and DuckDB start some threads that stay, so a first server comes and goes before the threads are
        // counted.
        FlightSqlServer.builder().start().close();
        Set<String> threadsBefore = threads();
        try (FlightSqlServer server = FlightSqlServer.builder().start()) {
            server.execute("CREATE TABLE soak (x BIGINT)");
            FaultyProxy relay = FaultyProxy.to(server.port());
            FlightSqlPool pool = new FlightSqlPool(
                    "grpc://127.0.0.1:" + relay.port(),
                    SoakLoad.config().allocator(allocator).build());
            SoakLoad load = new SoakLoad(pool, random);
            SoakFaults faults = new SoakFaults(server, relay, random.split());
            load.warmUp();
            try (Stalls stalls = new Stalls()) {
                load.start();
                faults.disturb(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
                judgeCalls(load, load.end(), faults, stalls);
            }
            server.setRules(SessionRules.cooperative());
            judgeRows(load, server);
            judgePool(pool, relay);
            relay.close();
            judgeMemory(server);
        }
        judgeThreads(threadsBefore, orphans);
    }

    private Verdict claim(String text) {
        Verdict verdict = new Verdict(text);
        verdicts.add(verdict);
        return verdict;
    }

    private void judgeCalls(SoakLoad load, long stuck, SoakFaults faults, Stalls stalls) {
        String calls = String.format("%,d calls succeeded, %,d failed", load.succeeded.get(), load.failed.get());
        boolean allFaults = faults.counts().values().stream().allMatch(count -> count > 0);
        claim("every fault came under load")
                .check(load.succeeded.get() > 0, calls)
                .check(allFaults, "faults " + faults.counts());
        long allowedMillis = SCHEDULING.toMillis() + 2 * TimeUnit.NANOSECONDS.toMillis(stalls.longestNanos());
        long overrunMillis = TimeUnit.NANOSECONDS.toMillis(load.worst().nanos());
        claim("no caller is kept past its deadline")
                .check(stuck == 0, stuck + " callers hang")
                .check(
                        overrunMillis <= allowedMillis,
                        "the latest answer came " + overrunMillis + " ms after its deadline, allowed "
                                + allowedMillis + ", of which " + (allowedMillis - SCHEDULING.toMillis())
                                + " because the process stood still for half of that ("
                                + load.worst().call() + ")");
        claim("no background thread ends with an exception")
                .check(
                        uncaught.isEmpty(),
                        uncaught.size() + " did " + uncaught.stream().limit(3).toList());
        claim("a failure has one of the two documented types")
                .check(load.surprisesCount.get() == 0, load.surprisesCount + " others " + load.surprises);
    }

    private void judgeRows(SoakLoad load, FlightSqlServer server) {
        long rows = server.number("SELECT count(*) FROM soak WHERE x > 0");
        long distinct = server.number("SELECT count(DISTINCT x) FROM soak WHERE x > 0");
        long uncommitted = server.number("SELECT count(*) FROM soak WHERE x < 0");
        claim("no mutation is sent twice").check(rows == distinct, rows + " rows, " + distinct + " different");
        List<Long> acknowledged = List.copyOf(load.acknowledged);
        long found = 0;
        for (int i = 0; i < acknowledged.size(); i += ROWS_OF_A_QUERY) {
            List<Long> some = acknowledged.subList(i, Math.min(acknowledged.size(), i + ROWS_OF_A_QUERY));
            String list = some.stream().map(String::valueOf).collect(Collectors.joining(", "));
            found += server.number("SELECT count(DISTINCT x) FROM soak WHERE x IN (" + list + ")");
        }
        claim("every acknowledged row is there")
                .check(found == acknowledged.size(), found + " of " + acknowledged.size());
        claim("a transaction that is not committed leaves nothing").check(uncommitted == 0, uncommitted + " rows");
    }

    private void judgePool(FlightSqlPool pool, FaultyProxy relay) throws InterruptedException {
        Verdict verdict = claim("no connection is lost");
        boolean idle = within(() ->
                pool.metrics().get("pool.conn.in_use") == 0 && pool.metrics().get("pool.handles.open") == 0);
        verdict.check(
                idle,
                "in use " + pool.metrics().get("pool.conn.in_use") + ", open handles "
                        + pool.metrics().get("pool.handles.open"));
        List<SessionHandle> sessions = new ArrayList<>();
        try {
            for (int i = 0; i < SoakLoad.connections(); i++) {
                sessions.add(pool.acquireSession());
            }
        } catch (RuntimeException e) {
            verdict.check(false, "no session after the faults: " + e.getMessage());
        }
        verdict.check(sessions.size() == SoakLoad.connections(), sessions.size() + " sessions at once afterwards");
        sessions.forEach(SessionHandle::close);
        try {
            pool.close(Duration.ofSeconds(10));
        } catch (RuntimeException e) {
            verdict.check(false, "close failed: " + e);
        }
        verdict.check(
                pool.stats().open() == 0
                        && pool.stats().closed() == pool.stats().opened(),
                String.format(
                        "opened %,d, closed %,d",
                        pool.stats().opened(), pool.stats().closed()));
        verdict.check(within(() -> relay.open() == 0), "TCP connections left " + relay.open());
    }

    private void judgeMemory(FlightSqlServer server) throws InterruptedException {
        boolean freed = within(() -> allocator.getAllocatedMemory() == 0 && server.allocatedBytes() == 0);
        claim("Arrow's allocators are at zero")
                .check(
                        freed,
                        "client " + allocator.getAllocatedMemory() + " B, server " + server.allocatedBytes() + " B");
    }

    private void judgeThreads(Set<String> before, Orphans orphans) throws InterruptedException {
        Set<String> left = new TreeSet<>();
        boolean ended = within(() -> {
            left.clear();
            left.addAll(threads());
            left.removeAll(before);
            return left.isEmpty();
        });
        claim("no thread is left behind")
                .check(
                        ended,
                        ended
                                ? "none beside the " + before.size() + " from before"
                                : left + ", with " + liveGrpcObjects());
        System.gc();
        boolean found = within(() -> orphans.count > 0, Duration.ofSeconds(2));
        claim("no gRPC channel is left behind").check(!found, orphans.count + " found by the garbage collector");
    }

    private static Set<String> threads() {
        Set<String> names = new TreeSet<>();
        Thread.getAllStackTraces().keySet().forEach(thread -> names.add(thread.getName()));
        // Java starts it when somebody looks into the process.
        names.remove("Attach Listener");
        return names;
    }

    /** The connections and servers that keep gRPC's threads alive, for a failure. */
    private static String liveGrpcObjects() {
        try {
            Object histogram = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
            return String.valueOf(histogram)
                    .lines()
                    .filter(line ->
                            line.matches(".*io\\.grpc\\.(netty|internal)\\.\\w*(Transport|ChannelImpl|ServerImpl).*"))
                    .map(line -> line.strip().replaceAll("^\\d+: +(\\d+) +\\d+ +", "$1 "))
                    .collect(Collectors.joining(", ", "[", "]"));
        } catch (JMException e) {
            return "unknown objects: " + e;
        }
    }

    private static boolean within(BooleanSupplier condition) throws InterruptedException {
        return within(condition, PATIENCE);
    }

    private static boolean within(BooleanSupplier condition, Duration patience) throws InterruptedException {
        return Polling.until(patience, condition::getAsBoolean);
    }

    /** Counts the channels that were collected without being shut down. gRPC reports them in its log. */
    private static final class Orphans extends Handler {
        private static final Logger LOGGER = Logger.getLogger("io.grpc.internal.ManagedChannelOrphanWrapper");

        volatile int count;

        static Orphans watch() {
            Orphans orphans = new Orphans();
            LOGGER.setLevel(Level.ALL);
            LOGGER.addHandler(orphans);
            return orphans;
        }

        @Override
        public synchronized void publish(LogRecord logged) {
            count++;
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
