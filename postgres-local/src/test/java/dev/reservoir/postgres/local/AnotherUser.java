package dev.reservoir.postgres.local;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs commands and programs of the tests as a user with no rights. Only root can do that. */
final class AnotherUser {
    /** A user with no rights, who exists on every system by this number. */
    private static final String NOBODY = "65534";

    private AnotherUser() {}

    static void assumePossible() {
        assumeTrue(
                "root".equals(System.getProperty("user.name")) && Files.isExecutable(Path.of("/usr/bin/setpriv")),
                "skipped: only root can be another user");
    }

    static List<String> command(String... command) {
        List<String> all = new ArrayList<>(List.of(
                "/usr/bin/setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--no-new-privs"));
        all.addAll(List.of(command));
        return all;
    }

    /**
     * A program of the tests, which that user runs in a folder {@code tmp} below this one. He has no home, and so no
     * cache: the programs of PostgreSQL are unpacked beside the data.
     */
    static ProcessBuilder java(Class<?> program, Path folder) throws IOException {
        List<String> classPath = new ArrayList<>();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            classPath.add(copy(Path.of(entry), folder.resolve(classPath.size() + ".entry")));
        }
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxrwxrwx"));
        ProcessBuilder builder = new ProcessBuilder(command(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "-Duser.home=/nonexistent",
                "-cp",
                String.join(File.pathSeparator, classPath),
                program.getName()));
        builder.environment().remove("XDG_CACHE_HOME");
        builder.directory(temporary.toFile());
        return builder;
    }

    /** Under a name that everybody can read. */
    private static String copy(Path entry, Path target) throws IOException {
        if (!Files.isDirectory(entry)) {
            Files.copy(entry, target);
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-r--r--"));
            return target.toString();
        }
        try (Stream<Path> files = Files.walk(entry)) {
            for (Path file : files.toList()) {
                Path copied = target.resolve(entry.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copied);
                    Files.setPosixFilePermissions(copied, PosixFilePermissions.fromString("rwxr-xr-x"));
                } else {
                    Files.copy(file, copied);
                    Files.setPosixFilePermissions(copied, PosixFilePermissions.fromString("rw-r--r--"));
                }
            }
        }
        return target.toString();
    }
}
