package dev.reservoir.emulator;

import dev.reservoir.emulator.internal.Gateway;
import dev.reservoir.emulator.internal.auth.Certificates;
import dev.reservoir.emulator.internal.gateway.Emulation;
import dev.reservoir.emulator.internal.postgres.EmbeddedServer;
import dev.reservoir.emulator.internal.upstream.PostgresUpstreams;
import dev.reservoir.emulator.internal.upstream.StubUpstreams;
import dev.reservoir.emulator.internal.upstream.Upstreams;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A server that applies the limits of Aurora DSQL and answers as it does, in front of a real PostgreSQL. Use it for
 * tests and experiments, never for data that matters. Safe for use by several threads.
 *
 * <pre>{@code
 * try (DsqlEmulator dsql = DsqlEmulator.builder().start();
 *         Connection connection = DriverManager.getConnection(dsql.jdbcUrl(), "admin", "")) {
 *     ...
 * }
 * }</pre>
 *
 * <p>{@link Builder#start()} and {@link #close()} block; no other method does.
 */
public final class DsqlEmulator implements AutoCloseable {
    private final Emulation emulation;
    private final String host;
    private final int port;
    private final int httpPort;
    private final Path caCertificate;

    private final Resources resources;

    private DsqlEmulator(Builder builder, Resources resources) throws IOException {
        this.resources = resources;
        host = builder.host;
        emulation = new Emulation(host, builder.clock, builder.tokens, builder.limits);
        Path directory = Files.createTempDirectory(
                "dsql-emulator-" + ProcessHandle.current().pid() + "-");
        resources.push(() -> delete(directory));
        Certificates certificates = Certificates.make(host);
        caCertificate = directory.resolve("ca.pem");
        certificates.writeAuthority(caCertificate);
        Upstreams upstreams = upstreams(builder.backend, directory);
        Gateway gateway = new Gateway(emulation);
        resources.push(gateway);
        port = gateway.listen(builder.bindAddress, builder.port, upstreams, certificates);
        httpPort = builder.httpPort < 0 ? -1 : gateway.listenHttp(builder.httpPort);
    }

    private Upstreams upstreams(Backend backend, Path directory) {
        if (backend instanceof Backend.Postgres there) {
            var address = new PostgresUpstreams.Address(there.host(), there.port(), there.database());
            return new PostgresUpstreams(
                    address, user -> CompletableFuture.completedFuture(there.user()), there.password());
        } else if (backend instanceof Backend.Stub) {
            return new StubUpstreams();
        }
        EmbeddedServer server = EmbeddedServer.start(directory);
        resources.push(server);
        var address = new PostgresUpstreams.Address("127.0.0.1", server.port(), "postgres");
        return new PostgresUpstreams(address, server::role, server.rolePassword());
    }

    /**
     * A builder for an emulator. By default it has DSQL's limits, no token check and a PostgreSQL server of its own.
     */
    public static Builder builder() {
        return new Builder();
    }

    /** The host name that clients connect to. */
    public String host() {
        return host;
    }

    /** The port for the PostgreSQL protocol. */
    public int port() {
        return port;
    }

    /** The port for HTTP, or -1 if the emulator does not listen for HTTP. */
    public int httpPort() {
        return httpPort;
    }

    /** Host and port, as {@code host:port}. */
    public String endpoint() {
        return host + ":" + port;
    }

    /** The file with the certificate of the authority that clients must trust. {@link #close()} deletes it. */
    public Path caCertificate() {
        return caCertificate;
    }

    /** A URL for PostgreSQL's JDBC driver that verifies the certificate. It names no user. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + endpoint() + "/postgres?sslmode=verify-full&sslrootcert="
                + URLEncoder.encode(caCertificate.toString(), StandardCharsets.UTF_8);
    }

    /** The counts so far. */
    public Counters counters() {
        return emulation.counters();
    }

    /** The limits that apply now. */
    public Limits limits() {
        return emulation.limits();
    }

    /** Changes the limits, also for connections and transactions that are already open. */
    public void limits(Limits limits) {
        emulation.limits(Objects.requireNonNull(limits, "limits"));
    }

    /** The faults that a test can switch on. */
    public Faults faults() {
        return emulation.faults();
    }

    /**
     * Closes every connection, stops the PostgreSQL server that the emulator started and deletes every file that it
     * wrote. Blocks until that is done.
     */
    @Override
    public void close() {
        resources.close();
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> innermostFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : innermostFirst) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Override
    public String toString() {
        return "DsqlEmulator[" + endpoint() + "]";
    }

    /** The settings of a new emulator. Not for use by several threads. */
    public static final class Builder {
        private String host = "localhost";
        private String bindAddress = "127.0.0.1";
        private int port;
        private int httpPort;
        private Limits limits = Limits.dsql();
        private TokenCheck tokens = TokenCheck.off();
        private Backend backend = Backend.embedded();
        private InstantSource clock = InstantSource.system();
        private boolean closesAtExit = true;

        private Builder() {}

        /** The host that tokens must name. The certificate names it too, besides the names of this machine. */
        public Builder host(String value) {
            if (value.isBlank()) {
                throw new IllegalArgumentException("host is empty; allowed: the name that clients connect to");
            }
            host = value;
            return this;
        }

        /** The address to listen on. The default is the loopback address, so that no other machine can connect. */
        public Builder bindAddress(String value) {
            bindAddress = Objects.requireNonNull(value, "bindAddress");
            return this;
        }

        /** The port for the PostgreSQL protocol. 0, the default, chooses a free port. */
        public Builder port(int value) {
            port = checkedPort("port", value, 0);
            return this;
        }

        /**
         * The port for HTTP, on the loopback address only. 0, the default, chooses a free port; -1 switches HTTP off.
         */
        public Builder httpPort(int value) {
            httpPort = checkedPort("httpPort", value, -1);
            return this;
        }

        /** The limits at the start. */
        public Builder limits(Limits value) {
            limits = Objects.requireNonNull(value, "limits");
            return this;
        }

        /** How strictly the emulator checks tokens. By default it does not check them. */
        public Builder tokens(TokenCheck value) {
            tokens = Objects.requireNonNull(value, "tokens");
            return this;
        }

        /** The database that answers the statements. */
        public Builder backend(Backend value) {
            backend = Objects.requireNonNull(value, "backend");
            return this;
        }

        /** The clock for the ages of connections, transactions and tokens, and for the rate of connects. */
        public Builder clock(InstantSource value) {
            clock = Objects.requireNonNull(value, "clock");
            return this;
        }

        /**
         * Whether the emulator closes itself when the process ends first, so that no server and no file is left behind.
         * True by default. A program that closes the emulator from its own shutdown hook sets this to false.
         */
        public Builder closesAtExit(boolean value) {
            closesAtExit = value;
            return this;
        }

        /**
         * Starts the emulator. Blocks until it accepts connections; with a PostgreSQL server of its own, for a minute
         * at most.
         *
         * @throws IllegalStateException if the emulator does not start; nothing is left behind then
         */
        public DsqlEmulator start() {
            Resources resources = new Resources();
            if (closesAtExit) {
                resources.closeAtExitOfTheProcess();
            }
            try {
                return new DsqlEmulator(this, resources);
            } catch (IOException | RuntimeException e) {
                IllegalStateException failure = new IllegalStateException("The emulator did not start", e);
                try {
                    resources.close();
                } catch (RuntimeException alsoFailed) {
                    failure.addSuppressed(alsoFailed);
                }
                throw failure;
            } finally {
                resources.settle();
            }
        }

        private static int checkedPort(String name, int value, int lowest) {
            if (value < lowest || value > 65_535) {
                throw new IllegalArgumentException(name + " is " + value + "; allowed: " + lowest + " to 65535");
            }
            return value;
        }
    }
}
