package dev.reservoir.pgwire;

import dev.reservoir.pgwire.auth.ScramSecret;
import dev.reservoir.pgwire.auth.ScramUsers;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.server.RunningServer;
import dev.reservoir.pgwire.server.ServerConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A small server for clients of PostgreSQL's protocol, such as psql and JDBC drivers. A {@link QueryHandler} answers
 * the statements. The server does the rest: startup, TLS, SCRAM-SHA-256, simple and extended queries, text and binary
 * format, portals, cancel requests. Knows no SQL beyond where a statement ends.
 *
 * <p>Everything is bounded: sessions, the length of a message, the time of a startup, the time without a message, the
 * answers that a client has not read.
 *
 * <p>{@link Builder#start()} and {@link #close()} block. Safe for use by several threads.
 */
public final class PgServer implements AutoCloseable {
    private final RunningServer server;

    private PgServer(RunningServer server) {
        this.server = server;
    }

    /** A builder for a server whose sessions are answered by these handlers. */
    public static Builder builder(QueryHandler.Factory handlers) {
        return new Builder(handlers);
    }

    /** The address that the server listens on. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** The port that the server listens on. */
    public int port() {
        return address().getPort();
    }

    /** Number of sessions that are open, including those that end just now. */
    public int sessions() {
        return server.sessions();
    }

    /**
     * Ends every session and every thread of the server. Interrupts the statements that run, and closes their handlers.
     * Blocks until that is done, for 20 seconds at most.
     */
    @Override
    public void close() {
        server.close();
    }

    @Override
    public String toString() {
        return "PgServer[" + address() + "]";
    }

    /** The settings of a new server. Not for use by several threads. */
    public static final class Builder {
        private final QueryHandler.Factory handlers;
        private final Map<String, ScramSecret> logins = new HashMap<>();
        private boolean withoutPassword;
        private String name = "pgwire";
        private String bindAddress = "127.0.0.1";
        private int port;
        private @Nullable SSLContext tls;
        private int maxSessions = 20;
        private int maxMessageBytes = 1 << 20;
        private Duration startupTimeout = Duration.ofSeconds(10);
        private Duration idleTimeout = Duration.ofMinutes(10);

        private Builder(QueryHandler.Factory handlers) {
            this.handlers = Objects.requireNonNull(handlers, "handlers");
        }

        /**
         * A user who may log in, by SCRAM-SHA-256 with this password. Takes some milliseconds. The server does not keep
         * the password itself.
         *
         * @param password printable ASCII characters, at least one
         */
        public Builder login(String user, String password) {
            if (!password.matches("[ -~]+")) {
                throw new IllegalArgumentException("the password of user " + user
                        + " is refused; allowed: printable ASCII characters, at least one");
            }
            logins.put(user, ScramSecret.create(password));
            return this;
        }

        /** Lets every user log in without a password. */
        public Builder withoutPassword() {
            withoutPassword = true;
            return this;
        }

        /** The name of the server's threads. The default is {@code pgwire}. */
        public Builder name(String value) {
            name = Objects.requireNonNull(value, "name");
            return this;
        }

        /** The address to listen on. The default is the loopback address, so that no other machine can connect. */
        public Builder bindAddress(String value) {
            bindAddress = Objects.requireNonNull(value, "bindAddress");
            return this;
        }

        /** The port to listen on. 0, the default, chooses a free port. */
        public Builder port(int value) {
            port = checked("port", value, 0, 65_535);
            return this;
        }

        /** The keys for TLS. With them, clients without TLS are refused. Without them, the server has no TLS. */
        public Builder tls(SSLContext value) {
            tls = Objects.requireNonNull(value, "tls");
            return this;
        }

        /**
         * Most sessions at a time. Each may use a thread while a statement runs. Clients that have not logged in are
         * not among them. At most 10 more than this number may be connected; one more ends the oldest of them.
         */
        public Builder maxSessions(int value) {
            maxSessions = checked("maxSessions", value, 1, 10_000);
            return this;
        }

        /** Longest message that a client may send. The default is 1 MiB. */
        public Builder maxMessageBytes(int value) {
            maxMessageBytes = checked("maxMessageBytes", value, 1_024, Frames.LONGEST_MESSAGE);
            return this;
        }

        /** Longest time from the connect to the end of the login. The default is 10 seconds. */
        public Builder startupTimeout(Duration value) {
            startupTimeout = checked("startupTimeout", value);
            return this;
        }

        /**
         * Longest time without a message of the client, or without the client reading its answers, before its session
         * is ended. The time in which a statement runs does not count. The default is 10 minutes.
         */
        public Builder idleTimeout(Duration value) {
            idleTimeout = checked("idleTimeout", value);
            return this;
        }

        /**
         * Starts the server. Blocks until it listens.
         *
         * @throws IllegalStateException if neither {@link #login} nor {@link #withoutPassword} was called, or both; or
         *     if the address cannot be bound
         */
        public PgServer start() {
            if (withoutPassword != logins.isEmpty()) {
                throw new IllegalStateException(
                        withoutPassword
                                ? "withoutPassword() does not go with login(...); call one of them"
                                : "nobody could log in; call login(...) or withoutPassword()");
            }
            return new PgServer(RunningServer.start(
                    new ServerConfig(
                            handlers,
                            new ScramUsers(logins),
                            name,
                            tls,
                            maxSessions,
                            maxMessageBytes,
                            startupTimeout,
                            idleTimeout),
                    bindAddress,
                    port));
        }

        private static int checked(String name, int value, int lowest, int highest) {
            if (value < lowest || value > highest) {
                throw new IllegalArgumentException(name + " is " + value + "; allowed: " + lowest + " to " + highest);
            }
            return value;
        }

        private static Duration checked(String name, Duration value) {
            if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(365)) > 0) {
                throw new IllegalArgumentException(name + " is " + value + "; allowed: more than 0, at most 365 days");
            }
            return value;
        }
    }
}
