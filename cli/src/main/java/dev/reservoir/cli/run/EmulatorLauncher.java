package dev.reservoir.cli.run;

import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.run.EmulatorCommand.Given;
import dev.reservoir.core.util.Text;
import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.TokenCheck;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Starts the emulator. Only this class knows classes of the emulator, for the same reason as {@link DemoLauncher} with
 * the demo.
 */
final class EmulatorLauncher {
    private static final CountDownLatch NEVER = new CountDownLatch(1);

    private EmulatorLauncher() {}

    /**
     * Runs the emulator. Blocks until the process is told to end. The emulator then closes itself and leaves nothing
     * behind.
     */
    static void run(Given given, Console console) {
        try (DsqlEmulator emulator = start(given)) {
            greet(emulator, given, console.out());
            NEVER.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static DsqlEmulator start(Given given) {
        try {
            return DsqlEmulator.builder()
                    .host(given.host)
                    .port(given.port)
                    .httpPort(given.httpPort)
                    .backend(backend(given))
                    .tokens(tokens(given))
                    .limits(Limits.dsql()
                            .withRatePerSecond(given.rate)
                            .withBurst(given.burst)
                            .withMaxOpen(given.limit)
                            .withMaxAge(given.maxAge))
                    .start();
        } catch (IllegalStateException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw new CommandFailedException("the emulator did not start: " + Text.oneLine(cause)
                    + "; see --port, --http-port and --backend-url");
        }
    }

    private static Backend backend(Given given) {
        BackendUrl url = given.url;
        if (url != null) {
            return Backend.postgres(url.host(), url.port(), url.database(), url.user(), given.backendPassword);
        }
        return given.backend.equals("stub") ? Backend.stub() : Backend.embedded();
    }

    private static TokenCheck tokens(Given given) {
        return switch (given.tokens) {
            case "shape" -> TokenCheck.shape();
            case "signature" -> TokenCheck.signature(Map.of(given.accessKey, given.secret));
            default -> TokenCheck.off();
        };
    }

    /** Prints how to connect. */
    static void greet(DsqlEmulator emulator, Given given, PrintStream out) {
        String what = given.url != null ? given.url.toString() : given.backend;
        out.println("DSQL emulator at " + emulator.endpoint() + ", backend " + what + ", tokens " + given.tokens);
        out.println("  psql         PGSSLROOTCERT=" + emulator.caCertificate() + " psql 'host=" + emulator.host()
                + " port=" + emulator.port() + " user=admin dbname=postgres sslmode=verify-full'");
        out.println("  JDBC         " + emulator.jdbcUrl() + "&user=admin");
        out.println("  CA           " + emulator.caCertificate());
        if (emulator.httpPort() >= 0) {
            String http = "http://127.0.0.1:" + emulator.httpPort();
            out.println("  counters     curl " + http + "/counters");
            out.println("  limits       curl " + http
                    + "/limits; to change one: curl -X PUT -d '{\"ratePerSecond\": 5}' " + http + "/limits");
            out.println("  faults       curl " + http + "/faults; to begin one: curl -X POST '" + http
                    + "/faults/dropShare?share=1'");
        }
        out.println("  limits now   " + Text.perSecond(given.rate) + " new connections, " + given.burst + " at once, "
                + given.limit + " open, none older than " + Text.nanos(given.maxAge.toNanos()));
        if (given.tokens.equals("off")) {
            out.println("No password is needed.");
        }
        out.println(given.url == null ? "Press Ctrl-C to stop; all data is deleted." : "Press Ctrl-C to stop.");
        out.flush();
    }
}
