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
 * A PostgreSQL of this process alone, empty at first, for tests and for trying things out. Its data need not outlive a crash of the machine.
 *
 * <p>Other users of the machine can neither log in nor read or write its files, nor those of its programs. Its superuser has a random password,
 * which is never on a command line and not in a file once it has started. It listens on 127.0.0.1 and on a socket in its own folder, whose
 * mode is 0700.
 *
 * <p>{@link Builder#start()}, {@link #stop}, {@link #crash}, {@link #startAgain} and {@link #close} block. Safe for use by several threads.
 */
public final class LocalPostgres implements AutoCloseable {
    /** The superuser. */
    public static final String USER = "postgres";

    /** The database that is there at first. */
    public static final String DATABASE = "postgres";

    private static final String HOST = "127.0.0.1";
    private static final String SETTINGS = "reservoir.conf";
    private static final int PASSWORD_BYTES = 24;
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 30;

    /** A free port may be taken by somebody else before PostgreSQL has it. That this happens so often is no accident. */
    private static final int PORTS_TRIED = 5;

    /** The path of a socket may have 103 bytes on some systems; the file's own name has up to 15. */
    private static final int SOCKET_FOLDER_LONGEST = 88;

    private static final int LOG_LINES_SHOWN = 12;

    private final Path directory;
    private final Programs programs;
    private final Map<String, String> settings;
    private final String password;
    private final @Nullable Thread atExit;
    private int port;
    private boolean running;

    private LocalPostgres(Builder builder, Path directory) throws IOException {
        this.directory = directory;
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

    /** One with 300 connections and PostgreSQL's defaults, unless told otherwise. */
    public static Builder builder() {
        return new Builder();
    }

    /** Starts one with the defaults. Blocks until it answers. */
    public static LocalPostgres start() {
        return builder().start();
    }

    private static String randomPassword() {
        byte[] bytes = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(bytes);
        // Letters, digits, - and _: it needs no quotes anywhere.
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

    /** One that took too long to start may still do so. */
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

    /** A URL that logs the superuser in. It holds the password, so it belongs into no log and on no command line. */
    public String url() {
        return urlWithoutUser() + "?user=" + USER + "&password=" + password;
    }

    /** A URL that names neither user nor password. */
    public String urlWithoutUser() {
        return "jdbc:postgresql://" + HOST + ":" + port + "/" + DATABASE;
    }

    /** Connections of the superuser, a new one each time. */
    public DataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(urlWithoutUser());
        source.setUser(USER);
        source.setPassword(password);
        return source;
    }

    /** Its data, with its configuration and {@code postmaster.pid}. */
    public Path dataDirectory() {
        return directory.resolve("data");
    }

    /** Where its programs are. */
    Path programs() {
        return programs.folder();
    }

    /** Its log. */
    public Path log() {
        return directory.resolve("log");
    }

    /** Stops it as an administrator would: sessions are ended at once, with a word to each. */
    public synchronized void stop() {
        end("fast");
    }

    /** Stops it as a crash would: no word to anybody, and a recovery at the next start. */
    public synchronized void crash() {
        end("immediate");
    }

    /** Starts it again after a stop, on the same port with the same data. */
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

    /** Stops it and deletes its data. */
    @Override
    public void close() {
        if (atExit != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException exiting) {
                // Too late to remove it. Closing twice does no harm.
            }
        }
        closeOnce();
    }

    private synchronized void closeOnce() {
        try {
            end("fast");
        } finally {
            discard(directory);
        }
    }

    private void closeAtExit() {
        try {
            closeOnce();
        } catch (UncheckedIOException e) {
            System.err.println("Reservoir: " + e.getMessage());
        }
    }

    private static void discard(Path directory) {
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

    /** How a server is to be. Not for use by several threads. */
    public static final class Builder {
        private final Map<String, String> settings = new TreeMap<>(Map.of(
                "max_connections", "300",
                "timezone", "UTC",
                // A process may crash here, but what outlives a crash of the machine is of no use to anybody.
                "fsync", "off",
                "synchronous_commit", "off",
                "full_page_writes", "off"));

        private @Nullable Path parent;
        private boolean closesAtExit = true;

        private Builder() {}

        /** A line of {@code postgresql.conf}. Address, port and socket are the server's own choice. */
        public Builder setting(String name, String value) {
            if (!name.matches("[a-z_]+") || value.contains("\n")) {
                throw new IllegalArgumentException("setting is " + name + "='" + value
                        + "'; allowed: a name of small letters and _, and a value of one line");
            }
            settings.put(name, value);
            return this;
        }

        /** Where it makes its folder; the system's folder for temporary files by default. */
        public Builder parent(Path value) {
            parent = value;
            return this;
        }

        /**
         * Whether it closes when this process ends without having closed it; true by default. A program that closes it while the process ends,
         * in its own order, says false.
         */
        public Builder closesAtExit(boolean value) {
            closesAtExit = value;
            return this;
        }

        /**
         * Starts it. Blocks until it answers: about a second, and some more when its programs are unpacked.
         *
         * @throws UncheckedIOException if it does not start; nothing is left behind then
         */
        public LocalPostgres start() {
            Path directory;
            try {
                directory = parent == null
                        ? Directories.temporary("reservoir-postgres-")
                        : Directories.make(parent.resolve("postgres"));
            } catch (IOException e) {
                throw new UncheckedIOException("PostgreSQL's folder could not be made", e);
            }
            try {
                return new LocalPostgres(this, directory);
            } catch (IOException e) {
                UncheckedIOException failure = new UncheckedIOException(
                        "PostgreSQL did not start"
                                + (isRoot(directory)
                                        ? "; as root it needs a system that lets it make a user namespace (unshare --user)"
                                        : ""),
                        e);
                try {
                    discard(directory);
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
