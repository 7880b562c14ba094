package dev.reservoir.flightsql.server;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * A Flight SQL server on DuckDB, in this process, on the loopback address unless told otherwise. All sessions share one
 * database, in memory or in a file. Never use it for data that matters: it has no users and checks at most one token.
 */
public final class FlightSqlServer implements AutoCloseable {
    /** Bounds how long close waits for calls to end, so that a statement that hangs does not hang a test. */
    private static final long CLOSE_PATIENCE_SECONDS = 10;

    /**
     * The range of ports to choose from. It is below those that systems give to outgoing connections: one of these
     * could take the port while the server restarts.
     */
    private static final int PORTS_BEGIN = 20_000;

    private static final int PORTS_COUNT = 12_000;

    /** Bounds the attempts to find a free port, or to wait at a restart until the old socket is gone. */
    private static final int BIND_ATTEMPTS = 100;

    private static final long BIND_PAUSE_MILLIS = 50;

    private final SplittableRandom ports = new SplittableRandom();
    private final Builder settings;
    private final BufferAllocator allocator = new RootAllocator();
    private final ExecutorService threads = Executors.newCachedThreadPool(FlightSqlServer::newThread);
    private final DuckDBConnection database;
    private final StatementLog log = new StatementLog();
    private volatile SessionRules rules;
    private ServerSessions sessions;
    private DuckDbProducer producer;
    private Server server;
    private final int port;

    private FlightSqlServer(Builder settings) {
        this.settings = settings;
        rules = settings.rules;
        database = open(settings);
        sessions = new ServerSessions(database, this::rules);
        producer = new DuckDbProducer(allocator, sessions, this::rules, log);
        try {
            server = start(settings.port, settings.port == 0 ? BIND_ATTEMPTS : 1);
        } catch (UncheckedIOException e) {
            closeDatabase();
            throw e;
        }
        port = server.getPort();
    }

    private static DuckDBConnection open(Builder settings) {
        Properties properties = new Properties();
        properties.setProperty("jdbc_stream_results", "true");
        String file = settings.database == null ? "" : settings.database.toString();
        try {
            DuckDBConnection opened = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + file, properties);
            if (!settings.fileAccess) {
                try (Statement statement = opened.createStatement()) {
                    statement.execute("SET GLOBAL enable_external_access = false");
                }
            }
            return opened;
        } catch (SQLException e) {
            throw new IllegalStateException("DuckDB does not start", e);
        }
    }

    /** Begins to set up a server. */
    public static Builder builder() {
        return new Builder();
    }

    private static Thread newThread(Runnable task) {
        Thread thread = new Thread(task, "flightsql-server");
        thread.setDaemon(true);
        return thread;
    }

    /** Listens on the wanted port, or on a free one if that is 0. */
    private Server start(int wantedPort, int attempts) {
        IOException refused = null;
        for (int i = 0; i < attempts; i++) {
            int candidate = wantedPort == 0 ? PORTS_BEGIN + ports.nextInt(PORTS_COUNT) : wantedPort;
            try {
                return settings.grpc.apply(grpcServer(candidate)).build().start();
            } catch (IOException e) {
                refused = e;
                if (i < attempts - 1) {
                    pauseBeforeNextBind();
                }
            }
        }
        throw new UncheckedIOException("port " + (wantedPort == 0 ? "any" : wantedPort) + " is taken", refused);
    }

    private static void pauseBeforeNextBind() {
        try {
            TimeUnit.MILLISECONDS.sleep(BIND_PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @SuppressWarnings("deprecation") // the only way to say that there is no authentication
    private NettyServerBuilder grpcServer(int candidate) {
        Peers peers = new Peers(sessions::peerGone, settings.authorization);
        return NettyServerBuilder.forAddress(new InetSocketAddress(settings.address, candidate))
                .executor(threads)
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .addTransportFilter(peers)
                .intercept(peers)
                .addService(FlightGrpcUtils.createFlightService(allocator, producer, ServerAuthHandler.NO_OP, threads));
    }

    /** The address for clients, such as {@code grpc://127.0.0.1:4214}. */
    public String endpoint() {
        return settings.scheme + "://" + host() + ":" + port;
    }

    /** The host in {@link #endpoint}, as a URL has it. A server that listens on all addresses is at 127.0.0.1. */
    private String host() {
        if (settings.address.isAnyLocalAddress()) {
            return "127.0.0.1";
        }
        String host = settings.address.getHostAddress();
        return host.indexOf(':') < 0 ? host : "[" + host + "]";
    }

    /** The port that the server listens on. */
    public int port() {
        return port;
    }

    /** The rules in force. */
    public SessionRules rules() {
        return rules;
    }

    /** Changes the rules, for calls from now on. */
    public void setRules(SessionRules value) {
        rules = value;
    }

    /** What the server has been asked to execute. */
    public StatementLog log() {
        return log;
    }

    /** How many sessions there are. */
    public synchronized int sessions() {
        return sessions.count();
    }

    /** How many sessions there have been since the start or the last restart. */
    public synchronized long sessionsOpened() {
        return sessions.opened();
    }

    /** How many sessions were refused since the start or the last restart. */
    public synchronized long sessionsRefused() {
        return sessions.refused();
    }

    /** Executes SQL on the database, outside every session. */
    public void execute(String sql) {
        try (DuckDBConnection connection = database.duplicate();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalArgumentException(sql, e);
        }
    }

    /** Executes a query with one number as its result, outside every session. */
    public long number(String sql) {
        try (DuckDBConnection connection = database.duplicate();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalArgumentException(sql, e);
        }
    }

    /** Ends all connections and sessions at once and listens again on the same port. The data stays. Blocks. */
    public synchronized void restart() {
        stop();
        startAgain();
    }

    /** Ends all connections and sessions at once and listens no more until {@link #startAgain}. Blocks. */
    public synchronized void stop() {
        producer.stopAll();
        server.shutdownNow();
        awaitEnd();
        sessions.closeAll();
    }

    /** Listens again on the same port after {@link #stop}. */
    public synchronized void startAgain() {
        sessions = new ServerSessions(database, this::rules);
        producer = new DuckDbProducer(allocator, sessions, this::rules, log);
        server = start(port, BIND_ATTEMPTS);
    }

    private void awaitEnd() {
        try {
            server.awaitTermination(CLOSE_PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends all statements and connections. Blocks for some seconds at most. */
    @Override
    public synchronized void close() {
        stop();
        threads.shutdownNow();
        try {
            threads.awaitTermination(CLOSE_PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closeDatabase();
        allocator.close();
    }

    private void closeDatabase() {
        try {
            database.close();
        } catch (SQLException e) {
            throw new IllegalStateException("DuckDB does not stop", e);
        }
    }

    /** The bytes that the server holds outside the heap. */
    public long allocatedBytes() {
        return allocator.getAllocatedMemory();
    }

    /** Collects the settings of a server. */
    public static final class Builder {
        private SessionRules rules = SessionRules.cooperative();
        private InetAddress address = InetAddress.getLoopbackAddress();
        private int port;
        private @Nullable Path database;
        private boolean fileAccess = true;
        private String scheme = "grpc";
        private UnaryOperator<NettyServerBuilder> grpc = UnaryOperator.identity();
        private @Nullable String authorization;

        private Builder() {}

        /** Sets the rules of sessions. Default: {@link SessionRules#cooperative}. */
        public Builder rules(SessionRules value) {
            rules = value;
            return this;
        }

        /** Sets the port. Default: any free one. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /** Sets the address to listen on. Default: the loopback address, which only this machine reaches. */
        public Builder address(InetAddress value) {
            address = value;
            return this;
        }

        /** Sets the file of the database, which is created if it does not exist. Default: a database in memory. */
        public Builder database(Path file) {
            database = file;
            return this;
        }

        /**
         * Sets whether statements may read and write files of this machine and load extensions, as {@code COPY} and
         * {@code ATTACH} do. Default: true.
         */
        public Builder fileAccess(boolean value) {
            fileAccess = value;
            return this;
        }

        /** Requires this value of the header {@code authorization} in every call. */
        public Builder authorization(String value) {
            authorization = value;
            return this;
        }

        /** Listens with TLS. The streams are read when the server starts, so it cannot be restarted. */
        public Builder tls(InputStream certificateChain, InputStream key) {
            scheme = "grpc+tls";
            grpc = builder -> builder.useTransportSecurity(certificateChain, key);
            return this;
        }

        /** Changes the settings of gRPC, such as TLS with client certificates; the scheme becomes that of TLS. */
        public Builder tls(UnaryOperator<NettyServerBuilder> value) {
            scheme = "grpc+tls";
            grpc = value;
            return this;
        }

        /**
         * Starts the server.
         *
         * @throws UncheckedIOException if the port is taken
         * @throws IllegalStateException if DuckDB cannot open the database
         */
        public FlightSqlServer start() {
            return new FlightSqlServer(this);
        }
    }
}
