package dev.reservoir.flightsql;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A Flight SQL server of somebody else, in a JVM of its own, because its libraries conflict with ours. */
final class OtherServer implements AutoCloseable {
    private static final long START_SECONDS = 60;

    private final Process process;
    private final int port;

    /**
     * Starts the server.
     *
     * @param folder the folder below {@code target/servers} with the jars that the build has copied there
     * @param producer the class of the server
     */
    OtherServer(String folder, String producer) {
        try {
            Path directory = Files.createDirectories(Path.of("target", "servers", "run-" + folder));
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--add-opens=java.base/java.nio=ALL-UNNAMED",
                            "-Xmx512m",
                            "-cp",
                            classPath(folder),
                            OtherServerMain.class.getName(),
                            producer,
                            "test-" + System.nanoTime())
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        port = awaitPort();
    }

    /** The server's own jars first, then those of the tests without our parts and our version of DuckDB. */
    private static String classPath(String folder) {
        List<String> entries = new ArrayList<>();
        Path jars = Path.of("target", "servers", folder).toAbsolutePath();
        entries.add(jars + File.separator + "*");
        entries.add(Path.of("target", "test-classes").toAbsolutePath().toString());
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (entry.endsWith(".jar") && !entry.contains("duckdb") && !entry.contains("reservoir")) {
                entries.add(entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private int awaitPort() {
        CompletableFuture<Integer> found = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(found), "other-server-output");
        reader.setDaemon(true);
        reader.start();
        try {
            return found.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            process.destroyForcibly();
            throw new IllegalStateException("the server did not start", e);
        }
    }

    /** Reads to the end, so that the server never waits for somebody to read what it prints. */
    private void read(CompletableFuture<Integer> found) {
        List<String> lines = new ArrayList<>();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(OtherServerMain.READY)) {
                    found.complete(Integer.valueOf(line.substring(OtherServerMain.READY.length())));
                } else if (!found.isDone()) {
                    lines.add(line);
                }
            }
        } catch (IOException e) {
            lines.add(e.toString());
        }
        found.completeExceptionally(new IllegalStateException(String.join("\n", lines)));
    }

    String endpoint() {
        return "grpc://127.0.0.1:" + port;
    }

    /** How long the server's threads have worked since its start. */
    Duration cpuTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
