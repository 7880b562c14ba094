package dev.reservoir.emulator.internal.postgres;

import dev.reservoir.emulator.internal.wire.Problem;
import dev.reservoir.emulator.internal.wire.ProblemException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * Makes a role for each user who connects for the first time: {@code admin} may create roles, schemas and tables, any other may do what
 * admin grants. Works on a thread of its own, one role after the other.
 */
final class RolesAtNeed implements Roles {
    private static final String ADMIN = "admin";
    private static final int LONGEST_NAME = 63;

    private final DataSource superuser;
    private final Map<String, CompletableFuture<String>> known = new ConcurrentHashMap<>();
    private final ExecutorService worker = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "dsql-emulator-roles");
        thread.setDaemon(true);
        return thread;
    });

    RolesAtNeed(DataSource superuser) {
        this.superuser = superuser;
    }

    @Override
    public CompletableFuture<String> forUser(String user) {
        if (user.isEmpty() || user.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME || isSystem(user)) {
            Problem problem = Problem.fatal("28000", "role \"" + user + "\" is not permitted to log in");
            return CompletableFuture.failedFuture(new ProblemException(problem));
        }
        // One that could not be made is tried again.
        return known.compute(
                user,
                (name, before) -> before == null || before.isCompletedExceptionally()
                        ? CompletableFuture.supplyAsync(() -> make(name), worker)
                        : before);
    }

    /** Names of PostgreSQL itself, its superuser among them. */
    private static boolean isSystem(String user) {
        return user.equals("postgres") || user.startsWith("pg_");
    }

    private String make(String name) {
        String quoted = '"' + name.replace("\"", "\"\"") + '"';
        try (Connection connection = superuser.getConnection();
                PreparedStatement find = connection.prepareStatement("select 1 from pg_roles where rolname = ?");
                Statement statement = connection.createStatement()) {
            find.setString(1, name);
            try (var found = find.executeQuery()) {
                if (found.next()) {
                    return name;
                }
            }
            boolean admin = name.equals(ADMIN);
            statement.execute("create role " + quoted + " login" + (admin ? " createrole" : ""));
            for (String grant : admin ? List.of("database postgres", "schema public") : List.<String>of()) {
                statement.execute("grant all on " + grant + " to " + quoted);
            }
            return name;
        } catch (SQLException e) {
            throw new IllegalStateException("role " + name + " could not be made", e);
        }
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}
