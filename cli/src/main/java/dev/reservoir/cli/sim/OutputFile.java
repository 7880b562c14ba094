package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.RefusedInputException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that is written when the work is done. The command checks it before the work begins, so that nobody waits for
 * a result that cannot be stored. The content goes to a temporary file beside it, which is then moved to its place.
 * Readers therefore never see a partial file, unless the target is a pipe or a device.
 */
record OutputFile(String option, String given, Path path) {

    /**
     * Creates an output file and checks, as far as possible now, that it can be written. Blocks while it checks.
     *
     * @param given the path on the command line; null if the option is missing, and then nothing is written
     * @throws RefusedInputException if the file cannot be written
     */
    static @Nullable OutputFile of(String option, @Nullable String given) {
        if (given == null) {
            return null;
        }
        try {
            Path path = Path.of(given);
            if (given.isEmpty() || Files.isDirectory(path)) {
                throw refused(option, given, given.isEmpty() ? "is no file" : "is a folder");
            }
            // A link stays a link, and its target is written.
            OutputFile file = new OutputFile(option, given, Files.exists(path) ? path.toRealPath() : path);
            file.tryOut();
            return file;
        } catch (InvalidPathException e) {
            throw refused(option, given, "is no file");
        } catch (IOException e) {
            throw refused(option, given, "cannot be written: " + reason(e));
        }
    }

    private static RefusedInputException refused(String option, String given, String why) {
        return new RefusedInputException(List.of(
                "reservoir: " + option + ": '" + given + "' " + why + "; allowed: a file in a folder that exists"));
    }

    private static String reason(IOException e) {
        String kind = e.getClass().getSimpleName().replaceFirst("(File)?Exception$", "");
        return switch (kind) {
            case "NoSuch" -> "its folder does not exist";
            case "AccessDenied" -> "not permitted";
            default -> String.valueOf(e.getMessage());
        };
    }

    /** Rejects an output file that is also another output, or an input of the command. */
    static void refuseClashes(List<@Nullable OutputFile> outputs, List<String> read) {
        List<Path> taken = new ArrayList<>();
        for (String one : read) {
            Path file = ScenarioLoader.file(one);
            if (file != null) {
                taken.add(real(file));
            }
        }
        for (OutputFile output : outputs) {
            if (output != null) {
                Path real = real(output.path);
                if (taken.contains(real)) {
                    throw refused(output.option, output.given, "is already used by this command");
                }
                taken.add(real);
            }
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException notThereYet) {
            return path.toAbsolutePath().normalize();
        }
    }

    /** Creates a file beside the target and deletes it again, to see whether the folder is writable. */
    private void tryOut() throws IOException {
        if (isSpecial()) {
            return;
        }
        if (Files.exists(path) && !Files.isWritable(path)) {
            throw new AccessDeniedException(path.toString());
        }
        Path beside = beside();
        Files.newOutputStream(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                .close();
        Files.delete(beside);
    }

    /** Whether the target is a pipe or a device, which is written directly. */
    private boolean isSpecial() {
        return Files.exists(path) && !Files.isRegularFile(path);
    }

    private Path beside() {
        String name = Objects.requireNonNull(path.getFileName()).toString();
        return path.resolveSibling("." + name + "." + ProcessHandle.current().pid() + ".part");
    }

    /** Writes the file. Blocks until it is written. */
    void write(Console.Content content) throws IOException {
        if (isSpecial()) {
            try (Writer writer = Files.newBufferedWriter(path, StandardCharsets.UTF_8, StandardOpenOption.WRITE)) {
                content.writeTo(writer);
            }
            return;
        }
        Path beside = beside();
        try {
            try (BufferedWriter writer = Files.newBufferedWriter(beside, StandardCharsets.UTF_8)) {
                content.writeTo(writer);
            }
            move(beside);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    private void move(Path beside) throws IOException {
        try {
            Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(beside, path, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Override
    public String toString() {
        return given;
    }
}
