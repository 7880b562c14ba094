package dev.reservoir.emulator.internal.postgres;

import dev.reservoir.postgres.local.LocalPostgres;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * A PostgreSQL for as long as the emulator runs, with its data in the emulator's temporary directory. Keeps nothing. Nobody but the emulator can
 * log in: every role has the same random password, which is never told to clients.
 */
public final class EmbeddedServer implements AutoCloseable {
    /** Each connection is a process; more than this is a case for the stub. */
    private static final int MAX_CONNECTIONS = 1000;

    /** Connections that the server keeps for superusers, by default. The emulator uses one of them. */
    private static final int RESERVED_CONNECTIONS = 3;

    private static final int PASSWORD_BYTES = 24;

    private final LocalPostgres server;
    private final String rolePassword;

    private EmbeddedServer(LocalPostgres server) {
        this.server = server;
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        rolePassword = Base64.getEncoder().encodeToString(random);
    }

    /** Makes an empty one and starts it. Blocks until it answers, for a minute at most. */
    public static EmbeddedServer start(Path directory) {
        return new EmbeddedServer(LocalPostgres.builder()
                .parent(directory)
                // The emulator sees to its end, and to what lies around it.
                .closesAtExit(false)
                .setting("max_connections", Integer.toString(MAX_CONNECTIONS + RESERVED_CONNECTIONS))
                // DSQL knows no waiting for locks: what waits in a circle here is to fail soon.
                .setting("deadlock_timeout", "100ms")
                .start());
    }

    public int port() {
        return server.port();
    }

    /** The password of every role that {@link #roles} gives. */
    public String rolePassword() {
        return rolePassword;
    }

    /** Roles of this server, made at need. */
    public Roles roles() {
        return new RolesAtNeed(server.dataSource(), Scram.verifier(rolePassword));
    }

    /** Stops it and deletes its data. Blocks until it is gone. */
    @Override
    public void close() {
        server.close();
    }
}
