package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Quiet;
import dev.reservoir.core.Text;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.DsqlErrors;
import dev.reservoir.dsql.Transactions;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One process of the fleet: a data source as the environment's variables make it, with the cluster's budget, and requests at a fixed rate. Says how it
 * fares every second, and every request that fails. Ends in good order when standard input ends.
 */
final class SoakWorker {
    static final int SIZE = 12;
    static final double REQUESTS_PER_SECOND = 10;

    /** By what a line begins. */
    static final String STATE = "S";

    static final String FAILURE = "F";

    private static final int THREADS = 40;
    private static final long WORK_MILLIS = 20;

    /** What a JVM does in its first seconds, mostly loading classes, is not timed. Failures count from the start. */
    private static final Duration WARM = Duration.ofSeconds(10);

    private static final long SAID_EVERY_MILLIS = 1_000;

    private final PrintStream out = System.out;
    private final TimedDataSource timed;
    private final Transactions transactions;

    private SoakWorker(DsqlDataSource dataSource) throws SQLException {
        this.timed = new TimedDataSource(dataSource);
        this.transactions = Transactions.on(timed);
    }

    /** Takes the port, the certificate, its name and where DynamoDB is. */
    public static void main(String[] args) throws IOException, InterruptedException, SQLException {
        Quiet.logs();
        Access access = Access.of(List.of(args).subList(0, 2));
        DsqlDataSource dataSource = access.trusted(DsqlDataSource.fromEnvironment(variables(access, args[2], args[3])))
                .name(args[2])
                .maxOpen(SIZE)
                .reservoir(reservoir -> reservoir
                        .initialFillTimeout(Duration.ofSeconds(20))
                        .serverAgeLimit(SoakCase.RATION.maxAge(), Duration.ofSeconds(5)))
                .build();
        SoakWorker worker = new SoakWorker(dataSource);
        try (Requests requests = new Requests(REQUESTS_PER_SECOND, THREADS, number -> worker.request())) {
            Thread said = new Thread(() -> worker.say(requests), "said");
            said.setDaemon(true);
            said.start();
            Jvm.awaitEndOfInput();
        }
        dataSource.close();
        System.exit(0);
    }

    /** What an operator would set. */
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
        all.put("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", Coordinator.TABLE);
        all.put("DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT", Double.toString(SoakCase.RATION.ratePerSecond()));
        all.put("DSQL_DISTRIBUTED_RATE_LIMITER_BURST", Integer.toString(SoakCase.RATION.burst()));
        all.put("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true");
        all.put("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", Coordinator.TABLE);
        all.put("DSQL_DISTRIBUTED_CONN_LIMIT", Integer.toString(SoakCase.RATION.maxOpen()));
        all.put("DSQL_DISTRIBUTED_CONN_LEASE_TIME", SoakCase.LEASE_TIME.toSeconds() + "s");
        all.put("DSQL_DISTRIBUTED_SERVICE_NAME", name);
        all.put("DSQL_DISTRIBUTED_ENDPOINT_URL", dynamoDb);
        return all;
    }

    private void request() throws SQLException, InterruptedException {
        int id = new SplittableRandom(ThreadLocalRandom.current().nextLong()).nextInt(Accounts.ROWS);
        try {
            transactions.execute("soak", tx -> {
                try {
                    Accounts.addOne(tx, id, WORK_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new SQLException("interrupted", e);
                }
            });
        } catch (SQLException | RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                // When the connection was lent tells whether it was cut under the request or was dead before.
                out.println(String.join(
                        " ",
                        FAILURE,
                        Long.toString(timed.lentMillis()),
                        Long.toString(System.currentTimeMillis()),
                        DsqlErrors.of(e).label(),
                        Text.oneLine(e)));
            }
            throw e;
        }
    }

    private void say(Requests requests) {
        try {
            Thread.sleep(WARM.toMillis());
            Requests.Phase phase = requests.begin();
            timed.count();
            while (true) {
                Thread.sleep(SAID_EVERY_MILLIS);
                out.println(String.join(
                        " ",
                        STATE,
                        Long.toString(phase.latency.count()),
                        Long.toString(phase.failed.sum()),
                        Long.toString(timed.checkouts.count()),
                        Long.toString(timed.slow.sum()),
                        Long.toString(timed.checkouts.quantileNanos(0.99)),
                        Long.toString(timed.checkouts.longestNanos()),
                        Long.toString(timed.waits.count()),
                        Long.toString(timed.waits.longestNanos()),
                        Long.toString(phase.latency.quantileNanos(0.999)),
                        Long.toString(phase.latency.longestNanos())));
                if (out.checkError()) {
                    throw new UncheckedIOException(new IOException("nobody listens"));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
