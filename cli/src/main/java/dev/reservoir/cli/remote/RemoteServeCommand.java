package dev.reservoir.cli.remote;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.SecretFile;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.cli.console.ShutdownSignal;
import dev.reservoir.core.util.Text;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code reservoir remote serve}. */
@Command(
        customSynopsis = "reservoir remote serve [OPTIONS] FILE",
        description = {
            "Runs a registry with the servers in the file until Ctrl-C: checks their health, answers psql with its"
                    + " views, and shows its metrics to Prometheus.",
            "Everybody who logs in can see and change everything. Both ports listen on this machine only, unless"
                    + " another address is given. The ports have no TLS."
        },
        footer = {
            "Examples:",
            "  reservoir remote serve servers.sql --password-file sql.pw --port 5440 --http-port 9187",
            "  reservoir remote serve servers.sql --no-password    for a try, on this machine only",
            "The log goes to standard error. Exit codes: 0 if it was told to end and has ended cleanly, 1 if it failed,"
                    + " 2 if called wrongly or given a wrong file."
        })
public final class RemoteServeCommand extends CliCommand {
    static final String PASSWORD_VARIABLE = "RESERVOIR_SQL_PASSWORD";

    private static final Duration DRAIN = Duration.ofSeconds(10);
    private static final Duration DRAIN_LONGEST = Duration.ofHours(1);

    @Parameters(paramLabel = "FILE", arity = "0..*", description = "a file with CREATE SERVER and CREATE USER MAPPING")
    private @Nullable List<String> files;

    @Option(
            names = "--port",
            paramLabel = "N|off",
            description = "the port for psql and other clients of PostgreSQL; default: a free one")
    private @Nullable String port;

    @Option(
            names = "--address",
            paramLabel = "IP",
            description = "the address that this port listens on; default: 127.0.0.1, which only this machine reaches")
    private @Nullable String address;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "the user who logs in, and whom CURRENT_USER means in the file; default: reservoir")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "a file with the password of this user; default: the variable " + PASSWORD_VARIABLE)
    private @Nullable String passwordFile;

    @Option(names = "--no-password", description = "lets everybody on this machine log in")
    private boolean noPassword;

    @Option(names = "--http-port", paramLabel = "N|off", description = "the port for metrics; default: a free one")
    private @Nullable String httpPort;

    @Option(
            names = "--http-address",
            paramLabel = "IP",
            description = "the address that this port listens on; default: 127.0.0.1")
    private @Nullable String httpAddress;

    @Option(
            names = "--drain",
            paramLabel = "D",
            description = "how long connections in use may go on at the end, such as 30s; default: 10s")
    private @Nullable String drain;

    @Override
    public Integer call() {
        RegistryService.Ports ports = ports();
        Duration given = new Setting("--drain", drain).duration(Duration.ZERO, DRAIN_LONGEST);
        Duration patience = given == null ? DRAIN : given;
        ServersFile file = ServersFile.read(files);
        RegistryService service = RegistryService.start(file, ports, patience);
        ShutdownSignal signal = ShutdownSignal.await(patience);
        int code = ExitCode.FAILED;
        try (service) {
            greet(service, file, ports);
            signal.received();
            console.out().println("Stopping: connections in use have up to " + Text.nanos(patience.toNanos()) + ".");
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

    private RegistryService.Ports ports() {
        InetSocketAddress sql =
                "off".equals(port) ? null : address("--address", address, new Setting("--port", port).port(", or off"));
        InetSocketAddress http = "off".equals(httpPort)
                ? null
                : address("--http-address", httpAddress, new Setting("--http-port", httpPort).port(", or off"));
        refuseAddressWithoutPort("--address", address, "--port", sql);
        refuseAddressWithoutPort("--http-address", httpAddress, "--http-port", http);
        String login = ServersFile.user(user);
        return new RegistryService.Ports(sql, http, login, sql == null ? null : password(sql));
    }

    private static void refuseAddressWithoutPort(
            String option, @Nullable String value, String portOption, @Nullable InetSocketAddress used) {
        if (value != null && used == null) {
            throw new MisuseException(
                    option + " is '" + value + "', but " + portOption + " is 'off'; allowed: one of them");
        }
    }

    private static InetSocketAddress address(String option, @Nullable String value, int port) {
        return new InetSocketAddress(new Setting(option, value).address(), port);
    }

    /** The password of the user; null if there is none. */
    private @Nullable String password(InetSocketAddress sql) {
        if (noPassword) {
            if (passwordFile != null) {
                throw new MisuseException("--no-password and --password-file exclude each other");
            }
            if (!sql.getAddress().isLoopbackAddress()) {
                throw new MisuseException("--no-password is given, and --address is '" + address
                        + "'; allowed: only with an address that no other machine reaches, such as 127.0.0.1");
            }
            return null;
        }
        if (passwordFile != null) {
            return SecretFile.read("--password-file", passwordFile);
        }
        String value = environment.getOrDefault(PASSWORD_VARIABLE, "");
        if (value.isEmpty()) {
            throw new MisuseException("no password for the port of psql; allowed: --password-file FILE, the variable "
                    + PASSWORD_VARIABLE + ", --no-password, or --port off");
        }
        return value;
    }

    private void greet(RegistryService service, ServersFile file, RegistryService.Ports ports) {
        PrintStream out = console.out();
        out.println("Registry of " + service.contents() + " from " + file);
        InetSocketAddress sql = service.sqlAddress();
        if (sql == null) {
            out.println("  psql         off");
        } else {
            String login = ports.password() == null
                    ? "no password"
                    : "password from " + (passwordFile == null ? PASSWORD_VARIABLE : passwordFile);
            out.println("  psql         psql -h " + host(sql) + " -p " + sql.getPort() + " -U " + ports.user()
                    + " -d reservoir   (" + login + ")");
            out.println("  views        SELECT * FROM sys.remote_pool_stats;");
        }
        InetSocketAddress http = service.httpAddress();
        out.println("  metrics      "
                + (http == null ? "off" : "curl http://" + urlHost(http) + ":" + http.getPort() + "/metrics"));
        out.println("Press Ctrl-C to stop.");
        out.flush();
    }

    /** The host that a client on this machine uses. */
    private static String host(InetSocketAddress address) {
        return address.getAddress().isAnyLocalAddress()
                ? "127.0.0.1"
                : address.getAddress().getHostAddress();
    }

    private static String urlHost(InetSocketAddress address) {
        String host = host(address);
        return host.indexOf(':') < 0 ? host : "[" + host + "]";
    }
}
