package dev.reservoir.cli.flight;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.core.util.Text;
import dev.reservoir.flightsql.FlightSqlPool;
import dev.reservoir.flightsql.PoolConfig;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code reservoir flight-demo}. */
@Command(
        customSynopsis = "reservoir flight-demo [OPTIONS]",
        description = {
            "Shows one shared Flight SQL client beside a pool of connections, on a server that runs the statements of a"
                    + " session one after the other.",
            "Starts such a server on DuckDB with SwanLake's session rules, and sends the same queries to it twice."
                    + " Needs nothing but this command."
        },
        footer = {
            "Examples:",
            "  reservoir flight-demo                          8 connections; takes about 12 s",
            "  reservoir flight-demo --connections 16         more of them"
        })
public final class FlightDemoCommand extends CliCommand {
    private static final int QUERIES = 400;
    private static final int QUERIES_MOST = 100_000;
    private static final int CONNECTIONS = 8;
    /** Each connection is a session on the server, which allows 100, and a thread of the demo. */
    private static final int CONNECTIONS_MOST = 64;

    private static final Duration QUERY_TIME = Duration.ofMillis(20);
    private static final Duration QUERY_LONGEST = Duration.ofSeconds(10);

    /** The first queries load classes and compile them, so they do not count. */
    private static final int WARM_UP = 400;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "the connections of the pool, and the threads that send queries; default: " + CONNECTIONS)
    private @Nullable String connections;

    @Option(
            names = "--queries",
            paramLabel = "N",
            description = "how many queries each side sends; default: " + QUERIES)
    private @Nullable String queries;

    @Option(
            names = "--query-time",
            paramLabel = "D",
            description = "how long a query takes on the server, which only waits, so that the processor is not the"
                    + " limit; default: 20ms")
    private @Nullable String queryTime;

    @Override
    public Integer call() throws InterruptedException {
        int size = atMost("--connections", connections, CONNECTIONS, CONNECTIONS_MOST);
        int count = atMost("--queries", queries, QUERIES, QUERIES_MOST);
        Duration given = new Setting("--query-time", queryTime).duration(Duration.ofMillis(1), QUERY_LONGEST);
        Duration time = given == null ? QUERY_TIME : given;
        try (FlightSqlServer server =
                        FlightSqlServer.builder().rules(SessionRules.swanLake()).start();
                BufferAllocator allocator = new RootAllocator()) {
            compare(server.endpoint(), allocator, new QueryLoad(size, count, time), time);
        } catch (ExecutionException e) {
            throw new CommandFailedException("the demo failed: " + Text.oneLine(e));
        }
        return ExitCode.OK;
    }

    private static int atMost(String option, @Nullable String value, int otherwise, int most) {
        Setting setting = new Setting(option, value);
        int number = setting.whole().orElse(otherwise);
        if (number < 1 || number > most) {
            throw setting.misused("1 to " + most);
        }
        return number;
    }

    private void compare(String endpoint, BufferAllocator allocator, QueryLoad load, Duration time)
            throws ExecutionException, InterruptedException {
        console.out()
                .println("Flight SQL server on DuckDB at " + endpoint + ", SwanLake's session rules. "
                        + NumberText.count(load.threads(), "thread") + ", " + NumberText.number(load.queries())
                        + " queries of " + Text.nanos(time.toNanos()) + " each way:");
        QueryLoad warmUp = new QueryLoad(load.threads(), WARM_UP, Duration.ofMillis(1));
        QueryLoad.Result alone;
        try (SharedClient client = new SharedClient(endpoint, allocator)) {
            warmUp.run(client::query);
            alone = load.run(client::query);
        }
        QueryLoad.Result pooled;
        PoolConfig config = PoolConfig.builder()
                .minIdle(load.threads())
                .maxSize(load.threads())
                .allocator(allocator)
                .build();
        try (FlightSqlPool pool = new FlightSqlPool(endpoint, config)) {
            warmUp.run(sql -> pool.query(sql).single(row -> row.getLong(0)));
            pooled = load.run(sql -> pool.query(sql).single(row -> row.getLong(0)));
        }
        print(load, alone, pooled);
    }

    private void print(QueryLoad load, QueryLoad.Result alone, QueryLoad.Result pooled) {
        TextTable table = new TextTable()
                .left("")
                .right("queries/s")
                .right("")
                .right("p50")
                .right("p99")
                .right("all done in");
        row(table, "one shared FlightSqlClient", alone, alone);
        String title = "Reservoir, " + NumberText.count(load.threads(), "connection");
        row(table, title, pooled, alone);
        table.print(console.out());
        double ratio = pooled.perSecond() / alone.perSecond();
        console.out()
                .println(
                        "The shared client is one session, and the server runs its queries one after the other. The pool"
                                + " has " + NumberText.count(load.threads(), "session") + ": " + factor(ratio)
                                + " times the throughput.");
    }

    private static void row(TextTable table, String title, QueryLoad.Result result, QueryLoad.Result alone) {
        table.row(List.of(
                title,
                NumberText.number(Math.round(result.perSecond())),
                factor(result.perSecond() / alone.perSecond()) + "x",
                Text.nanos(result.percentileNanos(0.5)),
                Text.nanos(result.percentileNanos(0.99)),
                Text.nanos(result.nanos())));
    }

    private static String factor(double ratio) {
        return String.format(Locale.ROOT, "%.1f", ratio);
    }
}
