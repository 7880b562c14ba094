package dev.reservoir.cli.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Reads a secret from a file, because everybody on the machine can see the arguments of a command. Never shows the
 * content.
 */
public final class SecretFile {
    /** Largest size of the file. It is longer than any password and shorter than most files named by mistake. */
    private static final int LONGEST = 4096;

    private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private SecretFile() {}

    /**
     * The only line of the file, without trailing white space. Blocks while it reads.
     *
     * @param option the name of the option, for messages
     * @param name the name of the file
     */
    public static String read(String option, String name) {
        byte[] bytes;
        try {
            Path file = Path.of(name);
            refuseIfOthersMayRead(option, file);
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(LONGEST + 1);
            }
        } catch (IOException | InvalidPathException e) {
            throw new MisuseException(
                    option + " is '" + name + "', which cannot be read; allowed: a file with one line");
        }
        String line = new String(bytes, StandardCharsets.UTF_8).stripTrailing();
        if (line.isEmpty() || line.indexOf('\n') >= 0 || bytes.length > LONGEST) {
            throw new MisuseException(
                    option + " is '" + name + "'; allowed: a file with one line, of up to " + LONGEST + " bytes");
        }
        return line;
    }

    private static void refuseIfOthersMayRead(String option, Path file) throws IOException {
        if (!Files.isRegularFile(file)
                || !FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (OF_OTHERS.stream().anyMatch(permissions::contains)) {
            throw new MisuseException(
                    option + " is '" + file + "' with the mode " + PosixFilePermissions.toString(permissions)
                            + "; allowed: a file that its owner alone may use (chmod 600)");
        }
    }
}
