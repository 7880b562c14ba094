package dev.reservoir.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** The command in a process of its own, with a folder of its own for temporary files. */
public final class Child implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Path temporary;
    private final Path out;
    private final Process process;

    private Child(Path folder, List<String> args) {
        try {
            temporary = Files.createDirectories(folder.resolve("tmp"));
            out = folder.resolve("out.txt");
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Djava.io.tmpdir=" + temporary,
                    // As the launcher at the root starts it.
                    "--enable-native-access=ALL-UNNAMED",
                    args.get(0).startsWith("flight-")
                            ? "--add-opens=java.base/java.nio=ALL-UNNAMED"
                            : "-Dio.netty.noUnsafe=true",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Main.class.getName()));
            command.addAll(args);
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Child start(Path folder, String... args) {
        return new Child(folder, List.of(args));
    }

    /** What it has printed so far. */
    public String printed() {
        try {
            return Files.readString(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it has printed something. */
    public void awaitPrinted(String text) {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            if (!process.isAlive()) {
                throw new AssertionError("ended with " + process.exitValue() + ": " + printed());
            }
            return printed().contains(text);
        });
    }

    /** The servers that run on its temporary files. PostgreSQL detaches itself, so they are not child processes. */
    public List<ProcessHandle> servers() {
        return ProcessHandle.allProcesses()
                .filter(one -> one.pid() != process.pid())
                .filter(one -> one.info().commandLine().orElse("").contains(temporary.toString()))
                .toList();
    }

    /** Sends the signal of Ctrl-C, and waits until the process has ended. */
    public int interrupt() throws InterruptedException {
        return signal("-INT");
    }

    /** Sends the signal of a service manager, and waits until the process has ended. */
    public int terminate() throws InterruptedException {
        return signal("-TERM");
    }

    private int signal(String name) throws InterruptedException {
        try {
            new ProcessBuilder("kill", name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return await();
    }

    /** Waits until it has ended. */
    public int await() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("did not end: " + printed());
        }
        return process.exitValue();
    }

    /** The temporary files that it left behind. */
    public List<String> left() {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("hsperfdata"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
