package dev.reservoir.emulator.internal.postgres;

import dev.reservoir.pgwire.auth.ScramSecret;
import dev.reservoir.postgres.local.LocalPostgres;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;

/**
 * A PostgreSQL server that runs as long as the emulator, with its data in the emulator's temporary directory. Keeps no
 * data. Only the emulator can log in: every role has the same random password, and clients never learn it.
 */
public final class EmbeddedServer implements AutoCloseable {
    /** Most connections of clients. Each one is a process of the server; use the stub for more. */
    private static final int MAX_CONNECTIONS = 1000;

    /** Connections that the server reserves for superusers by default. The emulator uses one of them. */
    private static final int RESERVED_CONNECTIONS = 3;

    private static final int PASSWORD_BYTES = 24;

    private final LocalPostgres server;
    private final String rolePassword;
    private final RolesOnDemand roles;

    private EmbeddedServer(LocalPostgres server) {
        this.server = server;
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        rolePassword = Base64.getEncoder().encodeToString(random);
        roles = new RolesOnDemand(
                server.dataSource(), ScramSecret.create(rolePassword).stored());
    }

    /** Creates an empty server and starts it. Blocks until it accepts connections, for a minute at most. */
    public static EmbeddedServer start(Path directory) {
        return new EmbeddedServer(LocalPostgres.builder()
                .parent(directory)
                // The emulator stops the server and deletes the directory around it.
                .closesAtExit(false)
                .setting("max_connections", Integer.toString(MAX_CONNECTIONS + RESERVED_CONNECTIONS))
                // DSQL has no waits for locks, so transactions that wait in a circle must fail soon.
                .setting("deadlock_timeout", "100ms")
                .start());
    }

    public int port() {
        return server.port();
    }

    /** The password of every role that {@link #role} returns. */
    public String rolePassword() {
        return rolePassword;
    }

    /** The role of a user. Completes when the role exists. Never blocks. */
    public CompletableFuture<String> role(String user) {
        return roles.forUser(user);
    }

    /** Stops the server and deletes its data. Blocks until it has stopped. */
    @Override
    public void close() {
        roles.close();
        server.close();
    }
}
