package dev.reservoir.cli.sim;

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
 * A file to be written when the work is done. Looked at before the work begins, so that nobody waits for a result that cannot
 * be kept. Written beside its place and moved there whole: nobody ever sees half of it.
 */
final class OutputFile {
    private final String option;
    private final String given;
    private final Path path;

    private OutputFile(String option, String given, Path path) {
        this.option = option;
        this.given = given;
        this.path = path;
    }

    /** What is to be in the file. */
    @FunctionalInterface
    public interface Content {
        void writeTo(Appendable to) throws IOException;
    }

    /**
     * A file that can be written as far as can be known now.
     *
     * @param given the path on the command line; null if the option was not given, and then nothing is written
     * @throws RefusedInputException if it cannot be written
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
            // A link stays a link: what it points to is written.
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

    /** Whether the same file is meant twice, or one that is read. */
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

    /** Makes a file beside it and takes it away again. */
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

    /** A pipe or a device is written as it is. */
    private boolean isSpecial() {
        return Files.exists(path) && !Files.isRegularFile(path);
    }

    private Path beside() {
        String name = Objects.requireNonNull(path.getFileName()).toString();
        return path.resolveSibling("." + name + "." + ProcessHandle.current().pid() + ".part");
    }

    /** Writes the file. Blocks. */
    void write(Content content) throws IOException {
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
