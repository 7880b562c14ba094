package dev.reservoir.postgres.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server for this process only, empty at first, for tests and experiments. It ends with this process, even
 * if the process is killed. Its data does not survive a crash of the machine.
 *
 * <p>Other users of the machine can neither log in nor read or write its files or its programs. Its superuser has a
 * random password. The password is never on a command line, and in no file after the start. The server listens on
 * 127.0.0.1 and on a socket in its own folder, whose mode is 0700.
 *
 * <p>{@link Builder#start()}, {@link #stop}, {@link #crash}, {@link #startAgain} and {@link #close} block. Safe for use
 * by several threads.
 */
public final class LocalPostgres implements AutoCloseable {
    /** The superuser. */
    public static final String USER = "postgres";

    /** The database that exists at first. */
    public static final String DATABASE = "postgres";

    private static final String HOST = "127.0.0.1";
    private static final String SETTINGS = "reservoir.conf";
    private static final int PASSWORD_BYTES = 24;
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 30;

    /**
     * Most ports to try. Another process may take a free port before PostgreSQL binds it. If that happens this often,
     * something else is wrong.
     */
    private static final int PORTS_TRIED = 5;

    /**
     * Longest path of a socket's folder in bytes. Some systems allow 103 bytes for the whole path, and the name of the
     * file takes up to 15.
     */
    private static final int SOCKET_FOLDER_LONGEST = 88;

    private static final int LOG_LINES_SHOWN = 12;

    private final Path directory;
    private final KillGuard guard;
    private final Programs programs;
    private final Map<String, String> settings;
    private final String password;
    private final @Nullable Thread atExit;
    private int port;
    private boolean running;

    private LocalPostgres(Builder builder, Path directory, KillGuard guard) throws IOException {
        this.directory = directory;
        this.guard = guard;
        programs = Programs.unpacked(directory);
        settings = new TreeMap<>(builder.settings);
        password = randomPassword();
        initialize();
        startOnFreePort();
        atExit = builder.closesAtExit ? new Thread(this::closeAtExit, "stop-postgres") : null;
        if (atExit != null) {
            Runtime.getRuntime().addShutdownHook(atExit);
        }
    }

    /**
     * A builder for a server. By default it has 300 connections, the time zone UTC, no durability, and PostgreSQL's
     * defaults otherwise.
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Starts a server with the defaults. Blocks until it accepts connections. */
    public static LocalPostgres start() {
        return builder().start();
    }

    private static String randomPassword() {
        byte[] bytes = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(bytes);
        // Letters, digits, - and _: the password needs no quotes anywhere.
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private void initialize() throws IOException {
        Path passwordFile = directory.resolve("password");
        Files.createFile(passwordFile, Directories.permissions("rw-------"));
        try {
            Files.writeString(passwordFile, password);
            run(
                    "initdb",
                    "--pgdata=" + dataDirectory(),
                    "--username=" + USER,
                    "--pwfile=" + passwordFile,
                    "--auth=scram-sha-256",
                    "--encoding=UTF8",
                    "--locale=C",
                    "--no-sync");
        } finally {
            Files.deleteIfExists(passwordFile);
        }
        Files.writeString(
                dataDirectory().resolve("postgresql.conf"),
                "\ninclude = '" + SETTINGS + "'\n",
                StandardOpenOption.APPEND);
    }

    private void startOnFreePort() throws IOException {
        for (int tried = 1; ; tried++) {
            port = freePort();
            try {
                launch();
                return;
            } catch (IOException e) {
                boolean portWasTaken = !Files.exists(pidFile()) && !isFree(port);
                if (tried == PORTS_TRIED || !portWasTaken) {
                    endWhatHasBegun(e);
                    throw e;
                }
            }
        }
    }

    /** Stops a server that took too long to start, because it may still come up. */
    private void endWhatHasBegun(IOException failure) {
        if (Files.exists(pidFile())) {
            try {
                stopIn("immediate");
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
    }

    private Path pidFile() {
        return dataDirectory().resolve("postmaster.pid");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, loopback())) {
            return socket.getLocalPort();
        }
    }

    private static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }

    private static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket(port, 1, loopback())) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        }
    }

    private void launch() throws IOException {
        Files.writeString(dataDirectory().resolve(SETTINGS), allSettings());
        run(
                "pg_ctl",
                "start",
                "--pgdata=" + dataDirectory(),
                "--log=" + log(),
                "--wait",
                "--timeout=" + START_SECONDS,
                "--silent");
        running = true;
    }

    private String allSettings() {
        boolean hasSocket = directory.toString().getBytes(StandardCharsets.UTF_8).length <= SOCKET_FOLDER_LONGEST;
        Map<String, String> all = new TreeMap<>(settings);
        all.put("listen_addresses", HOST);
        all.put("port", Integer.toString(port));
        all.put("unix_socket_directories", hasSocket ? directory.toString() : "");
        StringBuilder text = new StringBuilder();
        all.forEach((name, value) -> text.append(name)
                .append(" = '")
                .append(value.replace("'", "''"))
                .append("'\n"));
        return text.toString();
    }

    private void run(String program, String... arguments) throws IOException {
        int code = programs.run(log(), program, arguments);
        if (code != 0) {
            throw new IOException(program + " ended with " + code + ": " + lastLines());
        }
    }

    private String lastLines() throws IOException {
        List<String> lines = Files.readAllLines(log());
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
    }

    /** The port on 127.0.0.1. It stays the same when the server is stopped and started again. */
    public int port() {
        return port;
    }

    /** The superuser's password: letters, digits, {@code -} and {@code _}. */
    public String password() {
        return password;
    }

    /** A URL that logs the superuser in. It contains the password, so never log it or put it on a command line. */
    public String url() {
        return urlWithoutUser() + "?user=" + USER + "&password=" + password;
    }

    /** A URL that names neither user nor password. */
    public String urlWithoutUser() {
        return "jdbc:postgresql://" + HOST + ":" + port + "/" + DATABASE;
    }

    /** Connections of the superuser. Each call of {@code getConnection} opens a new one. */
    public DataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(urlWithoutUser());
        source.setUser(USER);
        source.setPassword(password);
        return source;
    }

    /** The data directory, with the configuration and {@code postmaster.pid}. */
    public Path dataDirectory() {
        return directory.resolve("data");
    }

    /** The folder of the programs. */
    Path programs() {
        return programs.folder();
    }

    /** The log file. */
    public Path log() {
        return directory.resolve("log");
    }

    /**
     * Stops the server as an administrator does: the server ends all sessions at once and sends each client a message.
     */
    public synchronized void stop() {
        end("fast");
    }

    /** Stops the server as a crash does: clients get no message, and the next start recovers. */
    public synchronized void crash() {
        end("immediate");
    }

    /** Starts the server again after a stop, on the same port with the same data. */
    public synchronized void startAgain() {
        if (running) {
            throw new IllegalStateException("PostgreSQL runs on port " + port + "; allowed: after stop() or crash()");
        }
        try {
            launch();
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL did not start again on port " + port, e);
        }
    }

    private void end(String mode) {
        if (!running) {
            return;
        }
        try {
            stopIn(mode);
            running = false;
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL did not stop", e);
        }
    }

    private void stopIn(String mode) throws IOException {
        run(
                "pg_ctl",
                "stop",
                "--pgdata=" + dataDirectory(),
                "--mode=" + mode,
                "--wait",
                "--timeout=" + STOP_SECONDS,
                "--silent");
    }

    /** Stops the server and deletes its data. Blocks until that is done. */
    @Override
    public void close() {
        if (atExit != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException exiting) {
                // The process is ending, so the hook cannot be removed. A second close does no harm.
            }
        }
        closeOnce();
    }

    private synchronized void closeOnce() {
        try {
            end("fast");
        } finally {
            discard(directory, guard);
        }
    }

    private void closeAtExit() {
        try {
            closeOnce();
        } catch (UncheckedIOException e) {
            System.err.println("Reservoir: " + e.getMessage());
        }
    }

    private static void discard(Path directory, KillGuard guard) {
        guard.close();
        try {
            Directories.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL's folder could not be deleted", e);
        }
    }

    @Override
    public String toString() {
        return "LocalPostgres[" + HOST + ":" + port + "]";
    }

    /** The settings of a new server. Not for use by several threads. */
    public static final class Builder {
        private final Map<String, String> settings = new TreeMap<>(Map.of(
                "max_connections", "300",
                "timezone", "UTC",
                // A process may crash here, but the data need not survive a crash of the machine.
                "fsync", "off",
                "synchronous_commit", "off",
                "full_page_writes", "off"));

        private @Nullable Path parent;
        private boolean closesAtExit = true;

        private Builder() {}

        /** Adds a line to {@code postgresql.conf}. The server itself chooses address, port and socket. */
        public Builder setting(String name, String value) {
            if (!name.matches("[a-z_]+") || value.contains("\n")) {
                throw new IllegalArgumentException("setting is " + name + "='" + value
                        + "'; allowed: a name of small letters and _, and a value of one line");
            }
            settings.put(name, value);
            return this;
        }

        /** The folder in which the server creates its own. The default is the system's folder for temporary files. */
        public Builder parent(Path value) {
            parent = value;
            return this;
        }

        /**
         * Whether the server closes itself when this process ends first; true by default. A program that closes it from
         * its own shutdown hook sets this to false.
         */
        public Builder closesAtExit(boolean value) {
            closesAtExit = value;
            return this;
        }

        /**
         * Starts the server. Blocks until it accepts connections: about a second, and longer when its programs are
         * unpacked.
         *
         * @throws UncheckedIOException if the server does not start; nothing is left behind then
         */
        public LocalPostgres start() {
            Path directory;
            KillGuard guard;
            try {
                directory = parent == null
                        ? Directories.temporary("reservoir-postgres-")
                        : Directories.make(parent.resolve("postgres"));
                guard = KillGuard.of(directory);
            } catch (IOException e) {
                throw new UncheckedIOException("PostgreSQL's folder could not be made", e);
            }
            try {
                return new LocalPostgres(this, directory, guard);
            } catch (IOException e) {
                UncheckedIOException failure = new UncheckedIOException(
                        "PostgreSQL did not start"
                                + (isRoot(directory)
                                        ? "; as root it needs a system that lets it make a user namespace (unshare --user)"
                                        : ""),
                        e);
                try {
                    discard(directory, guard);
                } catch (UncheckedIOException alsoFailed) {
                    failure.addSuppressed(alsoFailed);
                }
                throw failure;
            }
        }

        private static boolean isRoot(Path directory) {
            try {
                return Directories.owner(directory) == 0;
            } catch (IOException e) {
                return false;
            }
        }
    }
}
