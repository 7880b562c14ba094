package dev.reservoir.cli.remote;

import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.Text;
import dev.reservoir.metrics.prometheus.PrometheusEndpoint;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.metrics.RemoteMetrics;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.sys.SysDatabase;
import dev.reservoir.remote.sys.port.SysPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A running registry with its health checks, its port for SQL and its endpoint for metrics. */
final class RegistryService implements AutoCloseable {
    private static final String NAME = "reservoir";

    /**
     * Where it listens.
     *
     * @param sql the port for SQL; null for none
     * @param http the port for metrics; null for none
     * @param user the user who logs in, and who executes the file
     * @param password the password of this user; null for none
     */
    record Ports(
            @Nullable InetSocketAddress sql,
            @Nullable InetSocketAddress http,
            String user,
            @Nullable String password) {
        @Override
        public String toString() {
            return "Ports[" + sql + ", " + http + ", " + user + "]";
        }
    }

    private final RemoteConnectionPoolRegistry registry;
    private final Deque<Runnable> ends = new ArrayDeque<>();
    private @Nullable SysPort sql;
    private @Nullable PrometheusEndpoint http;

    private RegistryService(RemoteConnectionPoolRegistry registry, Duration drain) {
        this.registry = registry;
        ends.push(() -> registry.close(drain));
    }

    /** Starts everything, or nothing. Blocks. */
    static RegistryService start(ServersFile file, Ports ports, Duration drain) {
        RegistryService service = new RegistryService(RemoteConnectionPoolRegistry.create(NAME), drain);
        try {
            service.begin(file, ports);
            return service;
        } catch (RuntimeException | Error e) {
            service.close();
            throw e;
        }
    }

    private void begin(ServersFile file, Ports ports) {
        SysDatabase database = SysDatabase.of(registry);
        ends.push(database::close);
        // First, so that the ports show all of it, and a wrong file opens none.
        file.execute(database.statements(ports.user()));
        if (ports.sql() != null) {
            SysPort port = sqlPort(database, ports.sql(), ports);
            sql = port;
            ends.push(port::close);
        }
        if (ports.http() != null) {
            PrometheusEndpoint endpoint = endpoint(ports.http());
            http = endpoint;
            ends.push(endpoint::close);
        }
        registry.startHealthChecker();
    }

    private static SysPort sqlPort(SysDatabase database, InetSocketAddress address, Ports ports) {
        SysPort.Builder port = SysPort.builder(database)
                .bindAddress(address.getAddress().getHostAddress())
                .port(address.getPort());
        try {
            if (ports.password() == null) {
                port.withoutPassword();
            } else {
                port.login(ports.user(), Secret.literal(ports.password()));
            }
        } catch (RemoteException | IllegalArgumentException e) {
            throw new MisuseException(String.valueOf(e.getMessage()));
        }
        try {
            return port.start();
        } catch (IllegalStateException e) {
            throw occupied("the port for psql", address, e, "--port or --address");
        }
    }

    private PrometheusEndpoint endpoint(InetSocketAddress address) {
        try {
            return PrometheusEndpoint.start(RemoteMetrics.of(registry), address);
        } catch (IOException e) {
            throw occupied("the port for metrics", address, e, "--http-port or --http-address");
        }
    }

    private static CommandFailedException occupied(
            String what, InetSocketAddress address, Exception error, String options) {
        return new CommandFailedException(what + " cannot be " + address.getPort() + " of "
                + address.getAddress().getHostAddress() + ": " + Text.oneLine(Causes.root(error))
                + "; give another with " + options + ", 0 for a free port");
    }

    /** What the registry holds, for people. */
    String contents() {
        int mappings = registry.catalog().mappings().size();
        return NumberText.count(registry.serverNames().size(), "server") + " and "
                + NumberText.count(mappings, "user mapping");
    }

    @Nullable
    InetSocketAddress sqlAddress() {
        return sql == null ? null : sql.address();
    }

    @Nullable
    InetSocketAddress httpAddress() {
        return http == null ? null : http.address();
    }

    /** Closes the ports, then the connections. Blocks until they are closed, or until the drain time has passed. */
    @Override
    public void close() {
        while (!ends.isEmpty()) {
            ends.pop().run();
        }
    }
}
