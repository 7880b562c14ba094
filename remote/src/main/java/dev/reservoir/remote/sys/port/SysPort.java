package dev.reservoir.remote.sys.port;

import dev.reservoir.pgwire.PgServer;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.sys.SysDatabase;
import java.net.InetSocketAddress;
import java.time.Duration;
import javax.net.ssl.SSLContext;

/**
 * A port on which psql and any other client of PostgreSQL queries the views of a registry, and creates, alters and
 * drops servers and mappings. Everybody who can log in can do all of that.
 *
 * <p>It listens on the loopback address, unless another one is given. Users log in with a password (SCRAM-SHA-256). It
 * needs the artifact {@code dev.reservoir:reservoir-pgwire}, and the views need {@code com.h2database:h2}.
 *
 * <p>{@link Builder#start()} and {@link #close()} block.
 */
public final class SysPort implements AutoCloseable {
    private final PgServer server;
    private final QueryThreads threads;

    private SysPort(PgServer server, QueryThreads threads) {
        this.server = server;
        this.threads = threads;
    }

    public static Builder builder(SysDatabase database) {
        return new Builder(database);
    }

    /** The address that it listens on. */
    public InetSocketAddress address() {
        return server.address();
    }

    public int port() {
        return server.port();
    }

    /** Ends every session. The views stay open. */
    @Override
    public void close() {
        server.close();
        threads.close();
    }

    @Override
    public String toString() {
        return "SysPort[" + address() + "]";
    }

    /** The settings of a new port. */
    public static final class Builder {
        private final SysDatabase database;
        private final QueryThreads threads;
        private final PgServer.Builder server;

        private Builder(SysDatabase database) {
            this.database = database;
            threads = new QueryThreads("reservoir-sys-" + database.name());
            server = PgServer.builder(client -> SysQueryHandler.open(database, client.user(), threads))
                    .name("reservoir-sys-port-" + database.name())
                    .maxSessions(20)
                    .idleTimeout(Duration.ofMinutes(30));
        }

        /**
         * Lets a user log in.
         *
         * @throws RemoteException RD032 if the password cannot be read
         */
        public Builder login(String user, Secret password) throws RemoteException {
            server.login(user, password.read());
            return this;
        }

        /** Lets everybody log in who can reach the address. */
        public Builder withoutPassword() {
            server.withoutPassword();
            return this;
        }

        /** The address to listen on. The default is the loopback address, so that no other machine can connect. */
        public Builder bindAddress(String address) {
            server.bindAddress(address);
            return this;
        }

        /** The port to listen on. 0, the default, chooses a free port. */
        public Builder port(int port) {
            server.port(port);
            return this;
        }

        /** The keys for TLS. With them, clients without TLS are refused. */
        public Builder tls(SSLContext keys) {
            server.tls(keys);
            return this;
        }

        /** Most sessions at a time. The default is 20. */
        public Builder maxSessions(int sessions) {
            server.maxSessions(sessions);
            return this;
        }

        /**
         * Starts to listen.
         *
         * @throws IllegalStateException if neither a user nor {@link #withoutPassword} was given, or both; or if the
         *     address is in use
         */
        public SysPort start() {
            return new SysPort(server.start(), threads);
        }

        @Override
        public String toString() {
            return "SysPort.Builder[" + database.name() + "]";
        }
    }
}
