package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Jvm;
import dev.reservoir.core.util.Text;
import dev.reservoir.demo.workflow.Shard;
import dev.reservoir.demo.workflow.WorkflowKey;
import dev.reservoir.demo.workflow.WorkflowStore;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.Transactions;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * One process of the fleet. Its data source comes from environment variables and uses the cluster's budget. It runs
 * workflows at a fixed rate, on shards that it takes over from its predecessor at the same index. It reports its state
 * every second, and every failed request. Ends in order when standard input ends.
 */
final class SoakWorker {
    static final int SIZE = 12;
    static final double REQUESTS_PER_SECOND = 4;

    /** The first word of a line. */
    static final String STATE = "S";

    static final String FAILURE = "F";

    private static final int THREADS = 40;

    /** Shards of each process. Two workflows of one shard conflict if they start or end at the same time. */
    static final int SHARDS = 64;

    private static final int TAKEOVERS_MAX = 10;

    /** Time at the start that is not measured, because a JVM loads classes then. Failures count from the start. */
    private static final Duration WARM_UP = Duration.ofSeconds(10);

    private static final long REPORT_MILLIS = 1_000;

    private final PrintStream out = System.out;
    private final TimedDataSource timed;
    private final WorkflowStore store;
    private final List<Shard> shards;
    private final UUID namespace = UUID.randomUUID();

    private SoakWorker(DsqlDataSource dataSource, String name, int index) throws SQLException {
        timed = new TimedDataSource(dataSource);
        store = new WorkflowStore(Transactions.on(timed), SnowflakeIds.of(NodeIdSource.fixed(index)));
        shards = takeOver(name, index);
    }

    /** Tries several times, because a process may start during a fault. It does nothing before it has its shards. */
    private List<Shard> takeOver(String name, int index) throws SQLException {
        Set<Integer> owned =
                IntStream.range(index * SHARDS, (index + 1) * SHARDS).boxed().collect(Collectors.toSet());
        for (int i = 1; ; i++) {
            try {
                return store.acquireShards(owned, name);
            } catch (SQLException e) {
                if (i == TAKEOVERS_MAX) {
                    throw e;
                }
            }
        }
    }

    /** Takes the port, the certificate, its name, the URL of DynamoDB, and its index in the fleet. */
    public static void main(String[] args) throws IOException, InterruptedException, SQLException {
        Jvm.silenceLogs();
        Access access = Access.of(List.of(args).subList(0, 2));
        DsqlDataSource dataSource = access.trusted(DsqlDataSource.fromEnvironment(variables(access, args[2], args[3])))
                .name(args[2])
                .maxOpen(SIZE)
                .reservoir(reservoir -> reservoir
                        .initialFillTimeout(Duration.ofSeconds(20))
                        .serverAgeLimit(SoakCase.LIMITS.maxAge(), Duration.ofSeconds(5)))
                .build();
        SoakWorker worker = new SoakWorker(dataSource, args[2], Integer.parseInt(args[4]));
        try (Requests requests = new Requests(REQUESTS_PER_SECOND, THREADS, number -> worker.request())) {
            Daemons.start("report", () -> worker.report(requests));
            Jvm.awaitEndOfInput();
        }
        dataSource.close();
        System.exit(0);
    }

    /** The variables that an operator would set. */
    private static Map<String, String> variables(Access access, String name, String dynamoDb) {
        Map<String, String> all = new HashMap<>();
        all.put("CLUSTER_ENDPOINT", access.endpoint());
        all.put("REGION", Access.REGION);
        all.put("DSQL_RESERVOIR_ENABLED", "true");
        all.put("DSQL_RESERVOIR_TARGET_READY", Integer.toString(SIZE));
        all.put("DSQL_RESERVOIR_BASE_LIFETIME", "50s");
        all.put("DSQL_RESERVOIR_LIFETIME_JITTER", "10s");
        all.put("DSQL_RESERVOIR_GUARD_WINDOW", "4s");
        all.put("DSQL_STAGGERED_STARTUP", "false");
        all.put("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true");
        all.put("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", SoakTable.NAME);
        all.put("DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT", Double.toString(SoakCase.LIMITS.ratePerSecond()));
        all.put("DSQL_DISTRIBUTED_RATE_LIMITER_BURST", Integer.toString(SoakCase.LIMITS.burst()));
        all.put("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true");
        all.put("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", SoakTable.NAME);
        all.put("DSQL_DISTRIBUTED_CONN_LIMIT", Integer.toString(SoakCase.LIMITS.maxOpen()));
        all.put("DSQL_DISTRIBUTED_CONN_LEASE_TIME", SoakCase.LEASE_TIME.toSeconds() + "s");
        all.put("DSQL_DISTRIBUTED_SERVICE_NAME", name);
        all.put("DSQL_DISTRIBUTED_ENDPOINT_URL", dynamoDb);
        return all;
    }

    /** One workflow from start to end: three transactions. */
    private void request() throws SQLException {
        UUID runId = UUID.randomUUID();
        Shard shard = shards.get(Math.floorMod(runId.hashCode(), SHARDS));
        WorkflowKey key = new WorkflowKey(shard.shardId(), namespace, "workflow-" + runId);
        try {
            store.start(shard, key, runId);
            store.signal(key, "event");
            store.complete(shard, key, runId);
        } catch (SQLException | RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                // The time of the acquire shows whether the connection was cut during the request or was dead before.
                out.println(String.join(
                        " ",
                        FAILURE,
                        Long.toString(timed.acquiredMillis()),
                        Long.toString(System.currentTimeMillis()),
                        DsqlErrors.of(e).label(),
                        Text.oneLine(e)));
            }
            throw e;
        }
    }

    private void report(Requests requests) {
        try {
            Thread.sleep(WARM_UP.toMillis());
            Requests.Phase phase = requests.begin();
            timed.count();
            while (true) {
                Thread.sleep(REPORT_MILLIS);
                LongStream numbers = LongStream.of(
                        phase.latency.count(),
                        phase.failed.sum(),
                        timed.checkouts.count(),
                        timed.slow.sum(),
                        timed.checkouts.quantileNanos(0.99),
                        timed.checkouts.longestNanos(),
                        timed.waits.count(),
                        timed.waits.longestNanos(),
                        phase.latency.quantileNanos(0.999),
                        phase.latency.longestNanos());
                out.println(numbers.mapToObj(Long::toString).collect(Collectors.joining(" ", STATE + " ", "")));
                if (out.checkError()) {
                    throw new UncheckedIOException(new IOException("the parent process has ended"));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
