package dev.reservoir.emulator.internal.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;

/** A PostgreSQL for as long as the emulator runs, with its data in the emulator's temporary directory. Keeps nothing. */
public final class EmbeddedServer implements AutoCloseable {
    /** Each connection is a process; more than this is a case for the stub. */
    private static final int MAX_CONNECTIONS = 1000;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final EmbeddedPostgres server;

    private EmbeddedServer(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Makes an empty one and starts it. Blocks until it answers, for a minute at most. */
    public static EmbeddedServer start(Path directory) {
        try {
            return new EmbeddedServer(EmbeddedPostgres.builder()
                    .setDataDirectory(directory.resolve("postgres"))
                    .setCleanDataDirectory(true)
                    .setPGStartupWait(PATIENCE)
                    // The emulator sees to its end, and to what lies around it.
                    .setRegisterShutdownHook(false)
                    .setLocaleConfig("locale", "C")
                    .setServerConfig("max_connections", Integer.toString(MAX_CONNECTIONS))
                    .setServerConfig("timezone", "UTC")
                    // DSQL knows no waiting for locks: what waits in a circle here is to fail soon.
                    .setServerConfig("deadlock_timeout", "100ms")
                    // Its data need not outlive a crash.
                    .setServerConfig("fsync", "off")
                    .setServerConfig("synchronous_commit", "off")
                    .setServerConfig("full_page_writes", "off")
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL did not start", e);
        }
    }

    public int port() {
        return server.getPort();
    }

    /** Roles of this server, made at need. */
    public Roles roles() {
        return new RolesAtNeed(server.getPostgresDatabase());
    }

    /** Stops it and deletes its data. Blocks until it is gone. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL did not stop", e);
        }
    }
}
