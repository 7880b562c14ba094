package dev.reservoir.remote.testserver;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A private Firebird server on a free port, with its own configuration, users and databases in a temporary folder. Uses
 * the programs of Debian's package {@code firebird3.0-server}, and not the service of it. It ends with this process,
 * even if the process is killed.
 */
public final class FirebirdServer implements AutoCloseable {
    public static final String USER = "SYSDBA";
    public static final String PASSWORD = "a-password-for-tests";

    private static final Path SERVER = Path.of("/usr/sbin/firebird");
    private static final Path SHELL = Path.of("/usr/bin/isql-fb");
    private static final Path SECURITY = Path.of("/usr/share/firebird/3.0/security.sql");
    private static final int PATIENCE_SECONDS = 30;

    /** Runs the server until the pipe to this process closes. Then ends it. */
    private static final String GUARD = """
            trap '' HUP INT
            "$0" -p "$1" & server=$!
            while read -r unused; do :; done
            kill -TERM "$server"
            wait "$server"
            """;

    private final Path directory;
    private final int port;
    private @Nullable Process guard;

    private FirebirdServer(Path directory, int port) {
        this.directory = directory;
        this.port = port;
    }

    /** Skips a test if Firebird is not installed. */
    public static void assumeInstalled() {
        assumeTrue(
                Files.isExecutable(SERVER) && Files.isExecutable(SHELL) && library() != null,
                "skipped: Firebird is not installed (Debian's package firebird3.0-server)");
    }

    /** The folder of the plug-ins, which differs from machine to machine. */
    private static @Nullable Path library() {
        try (Stream<Path> folders = Files.list(Path.of("/usr/lib"))) {
            return folders.map(folder -> folder.resolve("firebird/3.0"))
                    .filter(Files::isDirectory)
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    /** Starts a server without databases. */
    public static FirebirdServer start() {
        try {
            FirebirdServer server = new FirebirdServer(Files.createTempDirectory("reservoir-firebird-"), freePort());
            server.initialize();
            server.launch();
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop-firebird"));
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("Firebird did not start", e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void initialize() throws IOException {
        Path library = library();
        for (String name : List.of("plugins", "intl", "firebird.msg", "plugins.conf", "UDF", "lib")) {
            Files.createSymbolicLink(directory.resolve(name), library.resolve(name));
        }
        Files.createDirectory(directory.resolve("lock"));
        Files.createDirectory(directory.resolve("data"));
        Files.writeString(directory.resolve("databases.conf"), "");
        Files.writeString(directory.resolve("firebird.conf"), """
                SecurityDatabase = %1$s/security3.fdb
                DatabaseAccess = Restrict %1$s/data
                RemoteBindAddress = 127.0.0.1
                AuthServer = Srp
                UserManager = Srp
                WireCrypt = Enabled
                ServerMode = Super
                DeadlockTimeout = 1
                IpcName = reservoir%2$d
                """.formatted(directory, port));
        Path users = directory.resolve("security3.fdb");
        isql("CREATE DATABASE '" + users + "';", null);
        isql(Files.readString(SECURITY), users);
        isql("CREATE USER " + USER + " PASSWORD '" + PASSWORD + "' USING PLUGIN Srp; COMMIT;", users);
    }

    /** Makes an empty database. Returns its path. */
    public String createDatabase(String name) {
        Path file = directory.resolve("data").resolve(name + ".fdb");
        try {
            isql(
                    "CREATE DATABASE '127.0.0.1/" + port + ":" + file + "' USER " + USER + " PASSWORD '" + PASSWORD
                            + "' DEFAULT CHARACTER SET UTF8;",
                    null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file.toString();
    }

    /** Runs statements. Without a server, the shell opens the file itself. */
    private void isql(String sql, @Nullable Path database) throws IOException {
        Path script = Files.createTempFile(directory, "script", ".sql");
        Files.writeString(script, sql);
        Path output = directory.resolve("isql.log");
        ProcessBuilder builder = new ProcessBuilder(SHELL.toString(), "-bail", "-user", USER, "-i", script.toString());
        if (database != null) {
            builder.command().add(database.toString());
        }
        run(builder, output);
        Files.delete(script);
    }

    private void run(ProcessBuilder builder, Path output) throws IOException {
        environment(builder);
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(builder.command() + " failed: " + Files.readString(output));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private void environment(ProcessBuilder builder) {
        builder.environment().put("FIREBIRD", directory.toString());
        builder.environment().put("FIREBIRD_LOCK", directory.resolve("lock").toString());
        builder.environment().put("FIREBIRD_TMP", directory.resolve("lock").toString());
        builder.environment().put("FIREBIRD_MSG", directory.toString());
    }

    private void launch() throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", GUARD, SERVER.toString(), Integer.toString(port));
        environment(builder);
        guard = builder.redirectErrorStream(true)
                .redirectOutput(directory.resolve("server.log").toFile())
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!answers()) {
            if (System.nanoTime() > deadline || !guard.isAlive()) {
                throw new IOException("Firebird does not answer: " + Files.readString(directory.resolve("server.log")));
            }
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException e) {
            // Nobody listens yet. The server needs some hundred milliseconds.
            java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** Ends the server. All connections break. */
    public synchronized void stop() {
        Process running = guard;
        guard = null;
        if (running == null) {
            return;
        }
        try {
            running.getOutputStream().close();
            if (!running.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                running.descendants().forEach(ProcessHandle::destroyForcibly);
                running.destroyForcibly();
            }
        } catch (IOException e) {
            running.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills the server. All connections break. */
    public synchronized void crash() {
        Process running = guard;
        if (running != null) {
            running.children().forEach(ProcessHandle::destroyForcibly);
            stop();
        }
    }

    /** Starts the server again on the same port, with the same databases. */
    public synchronized void startAgain() {
        try {
            launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the server and deletes its files. */
    @Override
    public synchronized void close() {
        crash();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // The folder is temporary, and the next clean-up of the machine finds it.
            return;
        }
    }
}
