package dev.reservoir.cli.flight;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.SecretFile;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.cli.console.ShutdownSignal;
import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.DurationParser;
import dev.reservoir.core.util.Text;
import dev.reservoir.flightsql.server.CancelSupport;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code reservoir flight-server}. */
@Command(
        customSynopsis = "reservoir flight-server [OPTIONS]",
        description = {
            "Runs a Flight SQL server on DuckDB until Ctrl-C, for tests and trials.",
            "A session is one TCP connection and runs one statement at a time. All sessions share one database. The"
                    + " server has no users and no TLS. Statements cannot read or write files, unless --files is given."
        },
        footer = {
            "Examples:",
            "  reservoir flight-server                                 a free port, a database in memory",
            "  reservoir flight-server --port 4214 --rules swanlake    SwanLake's port and session rules",
            "  reservoir flight-server --sessions 10 --expiry 30s      a low limit, to see a pool slow down"
        })
public final class FlightServerCommand extends CliCommand {
    private static final Duration SHORTEST_EXPIRY = Duration.ofMillis(1);
    private static final Duration LONGEST_EXPIRY = Duration.ofHours(24);

    @Option(names = "--port", paramLabel = "N", description = "the port; default: a free one")
    private @Nullable String port;

    @Option(
            names = "--address",
            paramLabel = "IP",
            description = "the address that the port listens on; default: 127.0.0.1, which only this machine reaches")
    private @Nullable String address;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "a file with the bearer token that every call must have; default: none is needed")
    private @Nullable String tokenFile;

    @Option(
            names = "--database",
            paramLabel = "FILE",
            description = "a DuckDB file, created if it does not exist; default: a database in memory")
    private @Nullable String database;

    @Option(names = "--files", description = "lets statements read and write files of this machine")
    private boolean files;

    @Option(
            names = "--rules",
            paramLabel = "NAME",
            description =
                    "the session rules: cooperative (the default: 1,000 sessions, which end with their connection;"
                            + " statements can be cancelled) or swanlake (100 sessions, which end when they are idle for 15"
                            + " minutes; no cancel). The next options change single rules.")
    private @Nullable String rules;

    @Option(names = "--sessions", paramLabel = "N", description = "the most sessions; one more is refused")
    private @Nullable String sessions;

    @Option(
            names = "--expiry",
            paramLabel = "D|off",
            description = "how long a session without calls lives, also after its connection is closed, such as 15m;"
                    + " off: it ends with its connection")
    private @Nullable String expiry;

    @Option(
            names = "--cancel",
            paramLabel = "WAY",
            description = "how a client can stop a statement: flight-info, query, ticket, or off")
    private @Nullable String cancel;

    @Option(names = "--no-transactions", description = "refuses transactions")
    private boolean noTransactions;

    /** Runs the server until the process is told to end. */
    @Override
    public Integer call() {
        FlightSqlServer server = started(settings(rules()));
        ShutdownSignal signal = ShutdownSignal.await(Duration.ZERO);
        int code = ExitCode.FAILED;
        try (server) {
            greet(server);
            signal.received();
            code = ExitCode.OK;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            console.out().println("Stopped.");
            console.out().flush();
            signal.handled(code);
        }
        return code;
    }

    private SessionRules rules() {
        boolean isSwanLake =
                new Setting("--rules", rules).oneOf("cooperative", "swanlake").equals("swanlake");
        SessionRules chosen = isSwanLake ? SessionRules.swanLake() : SessionRules.cooperative();
        chosen = chosen.withSessionsMax(new Setting("--sessions", sessions).atLeastOne(chosen.sessionsMax()));
        if (expiry != null) {
            chosen = chosen.withIdleExpiry(expiry());
        }
        if (cancel != null) {
            CancelSupport way =
                    switch (new Setting("--cancel", cancel).oneOf("flight-info", "query", "ticket", "off")) {
                        case "query" -> CancelSupport.QUERY;
                        case "ticket" -> CancelSupport.TICKET;
                        // SwanLake is written in Rust and answers differently.
                        case "off" -> isSwanLake ? CancelSupport.NONE_INVALID_ARGUMENT : CancelSupport.NONE;
                        default -> CancelSupport.FLIGHT_INFO;
                    };
            chosen = chosen.withCancel(way).withStopsWithStream(!way.name().startsWith("NONE"));
        }
        return noTransactions ? chosen.withTransactions(false) : chosen;
    }

    private Duration expiry() {
        if ("off".equals(expiry)) {
            return Duration.ZERO;
        }
        Duration given = DurationParser.parse(String.valueOf(expiry));
        if (given == null || given.compareTo(SHORTEST_EXPIRY) < 0 || given.compareTo(LONGEST_EXPIRY) > 0) {
            throw new Setting("--expiry", expiry).misused("such as 90s or 2m, at least 1ms, at most 24h, or off");
        }
        return given;
    }

    private FlightSqlServer.Builder settings(SessionRules chosen) {
        InetAddress listens = new Setting("--address", address).address();
        FlightSqlServer.Builder builder = FlightSqlServer.builder()
                .address(listens)
                .port(new Setting("--port", port).port(""))
                .rules(chosen)
                .fileAccess(files);
        if (tokenFile != null) {
            builder.authorization("Bearer " + SecretFile.read("--token-file", tokenFile));
        } else if (!listens.isLoopbackAddress()) {
            throw new MisuseException("--address is '" + address + "', and there is no token; allowed: with"
                    + " --token-file, or an address that no other machine reaches, such as 127.0.0.1");
        }
        if (database != null) {
            if (database.isBlank()) {
                throw new MisuseException("--database is ''; allowed: the name of a file");
            }
            builder.database(Path.of(database).toAbsolutePath());
        }
        return builder;
    }

    private FlightSqlServer started(FlightSqlServer.Builder settings) {
        try {
            return settings.start();
        } catch (UncheckedIOException e) {
            throw new CommandFailedException("the server cannot listen at port " + port + ": "
                    + Text.oneLine(Causes.root(e)) + "; see --port and --address");
        } catch (IllegalStateException e) {
            throw new CommandFailedException(
                    "the server did not start: " + Text.oneLine(Causes.root(e)) + "; see --database");
        }
    }

    private void greet(FlightSqlServer server) {
        PrintStream out = console.out();
        SessionRules now = server.rules();
        out.println("Flight SQL server at " + server.endpoint() + ", DuckDB "
                + (database == null ? "in memory" : "in " + database));
        out.println("  pool         FlightSqlPool.withDefaults(\"" + server.endpoint() + "\")");
        out.println("  sessions     one for each TCP connection, " + NumberText.number(now.sessionsMax())
                + " at most; a session "
                + (now.idleExpiry().isZero()
                        ? "ends with its connection"
                        : "outlives its connection and ends after "
                                + Text.nanos(now.idleExpiry().toNanos()) + " without calls"));
        out.println("  statements   one at a time in each session; cancel "
                + (now.cancel().name().startsWith("NONE") ? "off" : "on") + ", transactions "
                + (now.transactions() ? "on" : "off") + ", files " + (files ? "on" : "off"));
        out.println(
                tokenFile == null ? "No token is needed." : "Every call needs the bearer token in " + tokenFile + ".");
        out.println(
                database == null
                        ? "Press Ctrl-C to stop; all data is deleted."
                        : "Press Ctrl-C to stop; the data stays.");
        out.flush();
    }
}
