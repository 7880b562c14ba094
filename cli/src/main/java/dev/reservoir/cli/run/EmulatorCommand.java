package dev.reservoir.cli.run;

import dev.reservoir.cli.Main;
import dev.reservoir.cli.budget.LimitOptions;
import dev.reservoir.cli.cluster.ClusterOptions;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.Setting;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir emulator}. */
@Command(
        name = "emulator",
        customSynopsis = "reservoir emulator [OPTIONS]",
        description = {
            "Emulates an Aurora DSQL cluster, with a bundled PostgreSQL behind it, until Ctrl-C.",
            "Limits connections, checks tokens and refuses statements as DSQL does. For tests and experiments: the data"
                    + " of the bundled PostgreSQL is deleted when it ends."
        },
        footer = {
            "Examples:",
            "  reservoir emulator                                              DSQL's limits, any password",
            "  reservoir emulator --port 5432 --rate 5 --burst 10 --max-age 1m   low limits",
            "  reservoir emulator --tokens signature --secret-file key.txt       as strict as DSQL",
            "  reservoir emulator --backend stub                               no database: for 10,000 connections"
        })
public final class EmulatorCommand implements Callable<Integer> {
    private final Console console;
    private final Map<String, String> environment;

    @Option(names = "--port", paramLabel = "N", description = "the port for PostgreSQL's protocol; default a free one")
    private @Nullable String port;

    @Option(
            names = "--http-port",
            paramLabel = "N|off",
            description = "the port for counters, limits and faults over HTTP; default a free one")
    private @Nullable String httpPort;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "the name that clients connect to, for the certificate and the tokens; default localhost")
    private @Nullable String host;

    @Option(
            names = "--backend",
            paramLabel = "KIND",
            description = "what answers: embedded (the default), a PostgreSQL of its own, or stub, no database at all")
    private @Nullable String backend;

    @Option(
            names = "--backend-url",
            paramLabel = "URL",
            description = "a PostgreSQL that already runs, such as postgresql://user@127.0.0.1:5432/database")
    private @Nullable String backendUrl;

    @Option(
            names = "--backend-password-file",
            paramLabel = "FILE",
            description = "a file with that user's password; default the variable PGPASSWORD, or none")
    private @Nullable String backendPasswordFile;

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(names = "--max-age", paramLabel = "D", description = "after which a connection is closed; default 1h")
    private @Nullable String maxAge;

    @Option(
            names = "--tokens",
            paramLabel = "CHECK",
            description = "how tokens are checked: off (the default), shape, or signature, which needs an access key")
    private @Nullable String tokens;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "a file with ID=SECRET, the access key whose signatures are right; default the variables"
                    + " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    private @Nullable String secretFile;

    public EmulatorCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    /** The values of the options, without any class of the emulator. Never shows a secret. */
    static final class Given {
        int port;
        int httpPort;
        String host = "localhost";
        String backend = "embedded";

        @Nullable
        BackendUrl url;

        String backendPassword = "";

        double rate = 100;
        int burst = 1_000;
        int limit = 10_000;
        Duration maxAge = Duration.ofHours(1);
        String tokens = "off";
        String accessKey = "";
        String secret = "";
    }

    @Override
    public Integer call() {
        EmulatorLauncher.run(given(), console);
        return Main.OK;
    }

    private Given given() {
        Given given = new Given();
        given.port = new Setting("--port", port).port("");
        given.httpPort = "off".equals(httpPort) ? -1 : new Setting("--http-port", httpPort).port(", or off");
        given.host = host == null ? given.host : host;
        if (given.host.isBlank()) {
            throw new MisuseException("--host is ''; allowed: the name that clients connect to");
        }
        given.backend = oneOf("--backend", backend, "embedded", "stub");
        if (backendUrl != null) {
            if (backend != null) {
                throw new MisuseException("--backend and --backend-url exclude each other");
            }
            given.url = BackendUrl.parse("--backend-url", backendUrl);
            given.backendPassword = backendPasswordFile == null
                    ? environment.getOrDefault("PGPASSWORD", "")
                    : SecretFile.read("--backend-password-file", backendPasswordFile);
        } else if (backendPasswordFile != null) {
            throw new MisuseException("--backend-password-file is given without --backend-url; allowed: both");
        }
        given.rate = new Setting("--rate", limits.rate).number().orElse(given.rate);
        if (given.rate <= 0) {
            throw new MisuseException("--rate is '" + limits.rate + "'; allowed: more than 0");
        }
        given.burst = atLeastOne("--burst", limits.burst, given.burst);
        given.limit = atLeastOne("--limit", limits.limit, given.limit);
        given.maxAge = maxAge == null
                ? given.maxAge
                : ClusterOptions.span("--max-age", maxAge, Duration.ofSeconds(1), Duration.ofHours(24));
        given.tokens = oneOf("--tokens", tokens, "off", "shape", "signature");
        secret(given);
        return given;
    }

    private void secret(Given given) {
        if (!given.tokens.equals("signature")) {
            if (secretFile != null) {
                throw new MisuseException("--secret-file is given, and --tokens is '" + given.tokens
                        + "'; allowed: only with --tokens signature");
            }
            return;
        }
        if (secretFile != null) {
            String line = SecretFile.read("--secret-file", secretFile);
            int at = line.indexOf('=');
            if (at < 1 || at == line.length() - 1) {
                throw new MisuseException("--secret-file is '" + secretFile
                        + "', whose line has no '=' between two parts; allowed: ID=SECRET");
            }
            given.accessKey = line.substring(0, at);
            given.secret = line.substring(at + 1);
        } else {
            given.accessKey = environment.getOrDefault("AWS_ACCESS_KEY_ID", "");
            given.secret = environment.getOrDefault("AWS_SECRET_ACCESS_KEY", "");
            if (given.accessKey.isEmpty() || given.secret.isEmpty()) {
                throw new MisuseException(
                        "--tokens is 'signature', and there is no access key; allowed: with --secret-file,"
                                + " or with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
            }
        }
    }

    private static int atLeastOne(String option, @Nullable String value, int otherwise) {
        int number = new Setting(option, value).whole().orElse(otherwise);
        if (number < 1) {
            throw new MisuseException(option + " is '" + value + "'; allowed: whole numbers from 1 up");
        }
        return number;
    }

    /** Checks that a value is one of the allowed words. The first word is the default. */
    private static String oneOf(String option, @Nullable String value, String... allowed) {
        String given = value == null ? allowed[0] : value.toLowerCase(Locale.ROOT);
        for (String one : allowed) {
            if (one.equals(given)) {
                return one;
            }
        }
        throw new MisuseException(option + " is '" + value + "'; allowed: " + String.join(", ", allowed));
    }
}
