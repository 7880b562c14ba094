package dev.reservoir.emulator;

import dev.reservoir.emulator.internal.Gateway;
import dev.reservoir.emulator.internal.auth.Certificates;
import dev.reservoir.emulator.internal.gateway.Emulation;
import dev.reservoir.emulator.internal.postgres.EmbeddedServer;
import dev.reservoir.emulator.internal.postgres.Roles;
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
import java.util.stream.Stream;

/**
 * A server that rations and answers as Aurora DSQL does, in front of a real PostgreSQL. For tests and for trying things out; never for data
 * that matters. Safe for use by several threads.
 *
 * <pre>{@code
 * try (DsqlEmulator dsql = DsqlEmulator.builder().start();
 *         Connection connection = DriverManager.getConnection(dsql.jdbcUrl(), "admin", "")) {
 *     ...
 * }
 * }</pre>
 *
 * <p>{@link Builder#start()} and {@link #close()} block; nothing else does.
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
        Upstreams upstreams;
        if (backend instanceof Backend.Postgres there) {
            var address = new PostgresUpstreams.Address(there.host(), there.port(), there.database());
            upstreams = new PostgresUpstreams(address, Roles.always(there.user()), there.password());
        } else if (backend instanceof Backend.Stub) {
            upstreams = new StubUpstreams();
        } else {
            EmbeddedServer server = EmbeddedServer.start(directory);
            resources.push(server);
            var address = new PostgresUpstreams.Address("127.0.0.1", server.port(), "postgres");
            upstreams = new PostgresUpstreams(address, server.roles(), server.rolePassword());
        }
        resources.push(upstreams);
        return upstreams;
    }

    /** An emulator with DSQL's limits, no token check and a PostgreSQL of its own, unless told otherwise. */
    public static Builder builder() {
        return new Builder();
    }

    /** The host that clients are to name. */
    public String host() {
        return host;
    }

    /** The port for PostgreSQL's protocol. */
    public int port() {
        return port;
    }

    /** The port for HTTP; -1 if there is none. */
    public int httpPort() {
        return httpPort;
    }

    /** Host and port, as {@code host:port}. */
    public String endpoint() {
        return host + ":" + port;
    }

    /** The certificate of the authority that clients are to trust, as a file that {@link #close()} deletes. */
    public Path caCertificate() {
        return caCertificate;
    }

    /** A URL for PostgreSQL's JDBC driver that checks the certificate. It names no user. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + endpoint() + "/postgres?sslmode=verify-full&sslrootcert="
                + URLEncoder.encode(caCertificate.toString(), StandardCharsets.UTF_8);
    }

    /** What has been counted so far. */
    public Counters counters() {
        return emulation.counters();
    }

    /** The limits that hold now. */
    public Limits limits() {
        return emulation.limits();
    }

    /** Changes the limits, for open connections and transactions, too. */
    public void limits(Limits limits) {
        emulation.limits(Objects.requireNonNull(limits, "limits"));
    }

    /** Trouble on demand. */
    public Faults faults() {
        return emulation.faults();
    }

    /** Closes every connection, stops the PostgreSQL that it started and deletes every file it wrote. Blocks until that is done. */
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

    /** How an emulator is to be. Not for use by several threads. */
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

        /** The host that tokens must name and the certificate carries, besides this machine's own names. */
        public Builder host(String value) {
            if (value.isBlank()) {
                throw new IllegalArgumentException("host is empty; allowed: the name that clients connect to");
            }
            host = value;
            return this;
        }

        /** The address to listen on: this machine's own by default, so that nobody else can connect. */
        public Builder bindAddress(String value) {
            bindAddress = Objects.requireNonNull(value, "bindAddress");
            return this;
        }

        /** The port for PostgreSQL's protocol; 0, the default, takes a free one. */
        public Builder port(int value) {
            port = checkedPort("port", value, 0);
            return this;
        }

        /** The port for HTTP, on this machine alone; 0, the default, takes a free one, -1 none. */
        public Builder httpPort(int value) {
            httpPort = checkedPort("httpPort", value, -1);
            return this;
        }

        /** The limits at first. */
        public Builder limits(Limits value) {
            limits = Objects.requireNonNull(value, "limits");
            return this;
        }

        /** How closely tokens are looked at; not at all by default. */
        public Builder tokens(TokenCheck value) {
            tokens = Objects.requireNonNull(value, "tokens");
            return this;
        }

        /** What answers the statements. */
        public Builder backend(Backend value) {
            backend = Objects.requireNonNull(value, "backend");
            return this;
        }

        /** What the ages of connections, transactions and tokens and the rate of connects go by. */
        public Builder clock(InstantSource value) {
            clock = Objects.requireNonNull(value, "clock");
            return this;
        }

        /**
         * Whether it closes when the process ends without having closed it, so that no server and no file is left behind; true by default.
         * A program that closes it while the process ends, in its own order, says false.
         */
        public Builder closesAtExit(boolean value) {
            closesAtExit = value;
            return this;
        }

        /**
         * Starts it. Blocks until it answers; with a PostgreSQL of its own, for a minute at most.
         *
         * @throws IllegalStateException if it does not start; nothing is left behind then
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
