package dev.reservoir.dynamodb.processes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Worker} as the test sees it, with its way to the store. Is dead once this is closed. */
final class WorkerProcess implements AutoCloseable {
    private static final int SHOWN_LINES = 40;

    private final String name;
    private final CuttableProxy proxy;
    private final Process process;
    private final Path errors;
    private final Thread endWithParent;
    private volatile @Nullable Told last;

    /** What it said, and when that came. */
    record Told(Report report, long atNanos) {}

    WorkerProcess(String name, int serverPort, URI store, String table, Path folder, FleetRules rules) {
        this.name = name;
        this.proxy = new CuttableProxy(store);
        this.errors = folder.resolve(name + ".log");
        try {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx64m",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Worker.class.getName(),
                    name,
                    String.valueOf(serverPort),
                    proxy.endpoint().toString(),
                    table));
            command.addAll(rules.arguments());
            process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        endWithParent = new Thread(process::destroyForcibly, "end-" + name);
        Runtime.getRuntime().addShutdownHook(endWithParent);
        Thread reader = new Thread(this::read, "reports-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null) {
                if (line.startsWith("{")) {
                    last = new Told(Report.of(line), System.nanoTime());
                }
            }
        } catch (IOException e) {
            // It is dead.
        }
    }

    String name() {
        return name;
    }

    CuttableProxy proxy() {
        return proxy;
    }

    /** What it said last; null if it has not said anything yet. */
    @Nullable
    Told told() {
        return last;
    }

    /** What it said last. Fails if it has not said anything yet. */
    Report report() {
        Told told = last;
        if (told == null) {
            throw new AssertionError(name + " has not said anything yet");
        }
        return told.report;
    }

    /** Has it open connections, now or once it has started. */
    void begin() {
        try {
            process.getOutputStream().write('!');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills it, so that it can do nothing any more. */
    void kill() {
        process.destroyForcibly();
    }

    /** Whether processes can be stopped on this system. */
    static boolean canStop() {
        return Files.isExecutable(Path.of("/bin/sh"));
    }

    /** Stops it where it is. */
    void stop() {
        signal("STOP");
    }

    /** Lets it go on. */
    void goOn() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            // The shell has a kill of its own, which is there even if the program is not.
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + process.pid())
                    .inheritIO()
                    .start();
            if (!kill.waitFor(30, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new IllegalStateException("signal " + signal + " could not be sent to " + name);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Lets it end in good order. */
    void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int exitValue() {
        return process.exitValue();
    }

    /** What it said last, and the last lines of its log. */
    String story() {
        try {
            List<String> lines = Files.readAllLines(errors);
            return name + (isAlive() ? " lives" : " is dead") + ", said last: " + last + "\n    "
                    + String.join("\n    ", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
        } catch (IOException e) {
            return name + ", whose log cannot be read: " + e;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        proxy.close();
        Runtime.getRuntime().removeShutdownHook(endWithParent);
        try {
            process.waitFor(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
