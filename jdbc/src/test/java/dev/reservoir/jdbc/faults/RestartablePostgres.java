package dev.reservoir.jdbc.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL of one test class alone, which can be stopped and started again on the same port with the same data. Not for use
 * by several threads.
 */
final class RestartablePostgres implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path directory;
    private EmbeddedPostgres server;
    private boolean running;

    private RestartablePostgres(Path directory, EmbeddedPostgres server) {
        this.directory = directory;
        this.server = server;
        running = true;
    }

    /** Makes an empty one and starts it. */
    static RestartablePostgres start() {
        try {
            Path directory = Files.createTempDirectory("restartable-postgres");
            return new RestartablePostgres(directory, launch(directory, 0));
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL did not start", e);
        }
    }

    private static EmbeddedPostgres launch(Path directory, int port) throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("data"))
                .setCleanDataDirectory(false)
                .setPGStartupWait(PATIENCE)
                .setServerConfig("max_connections", "200");
        if (port != 0) {
            builder.setPort(port);
        }
        return builder.start();
    }

    int port() {
        return server.getPort();
    }

    /** A URL for the superuser, who needs no password. */
    String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    /** A URL that names no user. */
    String urlWithoutUser() {
        return "jdbc:postgresql://localhost:" + port() + "/postgres";
    }

    Path dataDirectory() {
        return directory.resolve("data");
    }

    /** Stops it as an administrator would: sessions are ended at once, with a word to each. Blocks until it is gone. */
    void stopFast() throws IOException {
        running = false;
        server.close();
        Awaitility.await().atMost(PATIENCE).until(() -> !Files.exists(pidFile()));
    }

    /** Stops it as a crash would: no farewell, and a recovery at the next start. Blocks until it is gone. */
    void crash() throws IOException, InterruptedException {
        running = false;
        List<String> lines = Files.readAllLines(pidFile());
        long pid = Long.parseLong(lines.get(0).strip());
        Process kill = new ProcessBuilder("kill", "-QUIT", Long.toString(pid)).start();
        if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new IOException("could not signal the server");
        }
        Awaitility.await().atMost(PATIENCE).until(() -> !Files.exists(pidFile()));
        closeQuietly();
    }

    /** Finds nobody to stop and would complain, but lets go of the data directory. */
    private void closeQuietly() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger(EmbeddedPostgres.class);
        Level before = logger.getLevel();
        logger.setLevel(Level.OFF);
        try {
            server.close();
        } finally {
            logger.setLevel(before);
        }
    }

    /** Starts it again after a stop, on the same port. Blocks until it answers. */
    void startAgain() throws IOException {
        server = launch(directory, port());
        running = true;
    }

    private Path pidFile() {
        return dataDirectory().resolve("postmaster.pid");
    }

    @Override
    public void close() throws IOException {
        if (running) {
            stopFast();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
