package dev.reservoir.emulator.internal.postgres;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Creates a role for each user who connects for the first time. {@code admin} may create roles, schemas and tables;
 * every other role may do what admin grants. Works on a thread of its own with a connection of its own, one role after
 * the other.
 *
 * <p>Every role has the emulator's password. The emulator checks the password before each login, because admin may have
 * created the role, created it again, or changed its password in the meantime.
 */
final class RolesOnDemand implements AutoCloseable {
    private static final String ADMIN = "admin";
    private static final int LONGEST_NAME = 63;

    private final DataSource superuser;
    private final String verifier;
    private volatile @Nullable Connection connection;
    private final ExecutorService worker = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "dsql-emulator-roles");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Roles on a server.
     *
     * @param superuser connections of a user who may create roles
     * @param verifier the form in which the server stores the password of the roles
     */
    RolesOnDemand(DataSource superuser, String verifier) {
        this.superuser = superuser;
        this.verifier = verifier;
    }

    /** The role to connect as. Completes when the role exists. Never blocks. */
    CompletableFuture<String> forUser(String user) {
        if (user.isEmpty() || user.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME || isSystem(user)) {
            PgError error = PgError.fatal("28000", "role \"" + user + "\" is not permitted to log in");
            return CompletableFuture.failedFuture(new PgException(error));
        }
        return CompletableFuture.supplyAsync(() -> ready(user), worker);
    }

    /** Names that PostgreSQL reserves, including its superuser. */
    private static boolean isSystem(String user) {
        return user.equals("postgres") || user.startsWith("pg_");
    }

    private String ready(String name) {
        try {
            prepare(connection(), name);
            return name;
        } catch (SQLException e) {
            // The connection may be the cause, so the next login gets a new one.
            discard();
            throw new IllegalStateException("role " + name + " could not be made", e);
        }
    }

    private void prepare(Connection open, String name) throws SQLException {
        String quoted = '"' + name.replace("\"", "\"\"") + '"';
        try (PreparedStatement find = open.prepareStatement("select rolpassword = ? from pg_authid where rolname = ?");
                Statement statement = open.createStatement()) {
            find.setString(1, verifier);
            find.setString(2, name);
            try (ResultSet found = find.executeQuery()) {
                if (!found.next()) {
                    create(statement, quoted, name.equals(ADMIN));
                } else if (!found.getBoolean(1)) {
                    statement.execute("alter role " + quoted + " password '" + verifier + "'");
                }
            }
        }
    }

    private void create(Statement statement, String quoted, boolean admin) throws SQLException {
        statement.execute(
                "create role " + quoted + " login" + (admin ? " createrole" : "") + " password '" + verifier + "'");
        for (String grant : admin ? List.of("database postgres", "schema public") : List.<String>of()) {
            statement.execute("grant all on " + grant + " to " + quoted);
        }
    }

    private Connection connection() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = superuser.getConnection();
            connection = open;
            // A client that creates the role in an open transaction must delay only one login, not all.
            try (Statement statement = open.createStatement()) {
                statement.execute("set lock_timeout = '2s'");
            }
        }
        return open;
    }

    private void discard() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                // The connection is not used again, closed or not.
            }
        }
    }

    @Override
    public void close() {
        worker.shutdownNow();
        discard();
    }
}
