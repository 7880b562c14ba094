package dev.reservoir.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Prometheus's own tool, if it is installed. Never downloads anything. */
final class Promtool {
    private final File program;

    private Promtool(File program) {
        this.program = program;
    }

    static Optional<Promtool> ifInstalled() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(path.split(File.pathSeparator))
                .map(dir -> new File(dir, "promtool"))
                .filter(File::canExecute)
                .findFirst()
                .map(Promtool::new);
    }

    /** Finds the tool. Skips the test if it is not installed. */
    static Promtool find() {
        Optional<Promtool> found = ifInstalled();
        assumeTrue(found.isPresent(), "skipped: rules are checked only where promtool is on the PATH");
        return found.get();
    }

    public record Answer(int code, String text) {}

    Answer run(Path output, Path input, String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.getPath()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(input.toFile())
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("promtool did not end within 60 s");
        }
        return new Answer(process.exitValue(), Files.readString(output));
    }
}
