package dev.reservoir.cli.run;

import dev.reservoir.cli.budget.LimitOptions;
import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.SecretFile;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.Text;
import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.TokenCheck;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir emulator}. */
@Command(
        customSynopsis = "reservoir emulator [OPTIONS]",
        description = {
            "Emulates an Aurora DSQL cluster, with a bundled PostgreSQL behind it, until Ctrl-C.",
            "Limits connections, checks tokens and refuses statements as DSQL does. For tests and experiments: the"
                    + " data of the bundled PostgreSQL is deleted when it ends."
        },
        footer = {
            "Examples:",
            "  reservoir emulator                                              DSQL's limits, any password",
            "  reservoir emulator --port 5432 --rate 5 --burst 10 --max-age 1m   low limits",
            "  reservoir emulator --tokens signature --secret-file key.txt       as strict as DSQL",
            "  reservoir emulator --backend stub                               no database: for 10,000 connections"
        })
public final class EmulatorCommand extends CliCommand {
    @Option(names = "--port", paramLabel = "N", description = "the port for PostgreSQL's protocol; default: a free one")
    private @Nullable String port;

    @Option(
            names = "--http-port",
            paramLabel = "N|off",
            description = "the port for counters, limits and faults over HTTP; default: a free one")
    private @Nullable String httpPort;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "the name that clients connect to, for the certificate and the tokens; default: localhost")
    private @Nullable String host;

    @Option(
            names = "--backend",
            paramLabel = "KIND",
            description = "the database: embedded (the default), a PostgreSQL that the emulator starts, or stub, no"
                    + " database")
    private @Nullable String backend;

    @Option(
            names = "--backend-url",
            paramLabel = "URL",
            description = "a PostgreSQL that already runs, such as postgresql://user@127.0.0.1:5432/database")
    private @Nullable String backendUrl;

    @Option(
            names = "--backend-password-file",
            paramLabel = "FILE",
            description = "a file with that user's password; default: the variable PGPASSWORD, or none")
    private @Nullable String backendPasswordFile;

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(names = "--max-age", paramLabel = "D", description = "the age at which a connection is closed; default: 1h")
    private @Nullable String maxAge;

    @Option(
            names = "--tokens",
            paramLabel = "CHECK",
            description = "how tokens are checked: off (the default), shape, or signature, which needs an access key")
    private @Nullable String tokens;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "a file with the line ID=SECRET, the access key that signs valid tokens; default: the"
                    + " variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    private @Nullable String secretFile;

    /** Runs the emulator until the process is told to end. The emulator then closes itself. */
    @Override
    public Integer call() {
        BackendUrl url = backendUrl();
        String kind = new Setting("--backend", backend).oneOf("embedded", "stub");
        String check = new Setting("--tokens", tokens).oneOf("off", "shape", "signature");
        DsqlEmulator.Builder settings = DsqlEmulator.builder()
                .port(new Setting("--port", port).port(""))
                .httpPort("off".equals(httpPort) ? -1 : new Setting("--http-port", httpPort).port(", or off"))
                .backend(backend(url, kind))
                .limits(limits())
                .tokens(tokenCheck(check));
        if (host != null) {
            if (host.isBlank()) {
                throw new MisuseException("--host is ''; allowed: the name that clients connect to");
            }
            settings.host(host);
        }
        try (DsqlEmulator emulator = started(settings)) {
            greet(emulator, url == null ? kind : url.toString(), check);
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.OK;
    }

    private @Nullable BackendUrl backendUrl() {
        if (backendUrl == null) {
            if (backendPasswordFile != null) {
                throw new MisuseException("--backend-password-file is given without --backend-url; allowed: both");
            }
            return null;
        }
        if (backend != null) {
            throw new MisuseException("--backend and --backend-url exclude each other");
        }
        return BackendUrl.parse("--backend-url", backendUrl);
    }

    private Backend backend(@Nullable BackendUrl url, String kind) {
        if (url == null) {
            return kind.equals("stub") ? Backend.stub() : Backend.embedded();
        }
        String password = backendPasswordFile == null
                ? environment.getOrDefault("PGPASSWORD", "")
                : SecretFile.read("--backend-password-file", backendPasswordFile);
        return Backend.postgres(url.host(), url.port(), url.database(), url.user(), password);
    }

    private Limits limits() {
        Limits dsql = Limits.dsql();
        double rate = new Setting("--rate", limits.rate).number().orElse(dsql.ratePerSecond());
        if (rate <= 0) {
            throw new MisuseException("--rate is '" + limits.rate + "'; allowed: more than 0");
        }
        Duration age = new Setting("--max-age", maxAge).duration(Duration.ofSeconds(1), Duration.ofHours(24));
        return dsql.withRatePerSecond(rate)
                .withBurst(new Setting("--burst", limits.burst).atLeastOne(dsql.burst()))
                .withMaxOpen(new Setting("--limit", limits.limit).atLeastOne(dsql.maxOpen()))
                .withMaxAge(age == null ? dsql.maxAge() : age);
    }

    private TokenCheck tokenCheck(String check) {
        if (!check.equals("signature")) {
            if (secretFile != null) {
                throw new MisuseException("--secret-file is given, and --tokens is '" + check
                        + "'; allowed: only with --tokens signature");
            }
            return check.equals("shape") ? TokenCheck.shape() : TokenCheck.off();
        }
        if (secretFile == null) {
            String id = environment.getOrDefault("AWS_ACCESS_KEY_ID", "");
            String secret = environment.getOrDefault("AWS_SECRET_ACCESS_KEY", "");
            if (id.isEmpty() || secret.isEmpty()) {
                throw new MisuseException(
                        "--tokens is 'signature', and there is no access key; allowed: with --secret-file, or with"
                                + " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
            }
            return TokenCheck.signature(Map.of(id, secret));
        }
        String line = SecretFile.read("--secret-file", secretFile);
        int at = line.indexOf('=');
        if (at < 1 || at == line.length() - 1) {
            throw new MisuseException("--secret-file is '" + secretFile
                    + "', whose line has no '=' between two parts; allowed: ID=SECRET");
        }
        return TokenCheck.signature(Map.of(line.substring(0, at), line.substring(at + 1)));
    }

    private static DsqlEmulator started(DsqlEmulator.Builder settings) {
        try {
            return settings.start();
        } catch (IllegalStateException e) {
            throw new CommandFailedException("the emulator did not start: " + Text.oneLine(Causes.root(e))
                    + "; see --port, --http-port and --backend-url");
        }
    }

    private void greet(DsqlEmulator emulator, String database, String check) {
        PrintStream out = console.out();
        out.println("DSQL emulator at " + emulator.endpoint() + ", backend " + database + ", tokens " + check);
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
        Limits now = emulator.limits();
        out.println("  limits now   " + Text.perSecond(now.ratePerSecond()) + " new connections, " + now.burst()
                + " at once, " + now.maxOpen() + " open, none older than "
                + Text.nanos(now.maxAge().toNanos()));
        if (check.equals("off")) {
            out.println("No password is needed.");
        }
        out.println(backendUrl == null ? "Press Ctrl-C to stop; all data is deleted." : "Press Ctrl-C to stop.");
        out.flush();
    }
}
