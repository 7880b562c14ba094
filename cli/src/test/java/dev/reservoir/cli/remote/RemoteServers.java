package dev.reservoir.cli.remote;

import dev.reservoir.postgres.local.LocalPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A real PostgreSQL with a user, and files that describe it, for the tests of the commands. Stops with the JVM. */
final class RemoteServers {
    static final String PASSWORD = "a-secret-of-ann";
    static final String WRONG_PASSWORD = "a-secret-of-eve";

    private static LocalPostgres shared;

    private final Path folder;

    RemoteServers(Path folder) {
        this.folder = folder;
    }

    static synchronized LocalPostgres postgres() {
        if (shared == null) {
            LocalPostgres started = LocalPostgres.start();
            try (Connection connection = started.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE ROLE app_ann LOGIN PASSWORD '" + PASSWORD + "'");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            shared = started;
        }
        return shared;
    }

    /** A file that only its owner may read. */
    Path secret(String name, String password) {
        try {
            Path file = Files.writeString(folder.resolve(name), password + "\n");
            return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String file(String... statements) {
        try {
            return Files.writeString(folder.resolve("servers.sql"), String.join("\n", statements))
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String server(String name, int port, String options) {
        return "CREATE SERVER " + name + " FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host '127.0.0.1', port '" + port
                + "', dbname 'postgres'" + options + ");";
    }

    /** The real server. */
    static String server(String name) {
        return server(name, postgres().port(), "");
    }

    String mapping(String localUser, String server, String password) {
        Path file = secret(localUser + "-" + server + ".pw", password);
        return "CREATE USER MAPPING FOR " + localUser + " SERVER " + server
                + " OPTIONS (user 'app_ann', password_file '" + file + "');";
    }
}
