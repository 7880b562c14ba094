package dev.reservoir.remote.model;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A password, or the place that holds it. It is read for each connect, so a new password takes effect without a
 * restart. {@code toString} names the place and never shows the password.
 */
public abstract sealed class Secret {
    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    /** Most bytes of a password file. No password is longer, and a wrong file may be huge. */
    private static final int FILE_BYTES_MAX = 64 * 1024;

    private Secret() {}

    /** A password that the application knows. SQL cannot give one. */
    public static Secret literal(String password) {
        return new Literal(password);
    }

    /**
     * A file that holds the password. A line break at its end does not belong to the password. Only its owner may have
     * access to it, where the file system knows permissions.
     */
    public static Secret file(Path file) {
        return new OfFile(file);
    }

    /** An environment variable that holds the password. */
    public static Secret environment(String variable) {
        return environment(variable, System::getenv);
    }

    /**
     * A variable of another environment.
     *
     * @param lookup returns the value of a variable, or null
     */
    public static Secret environment(String variable, Function<String, @Nullable String> lookup) {
        return new OfVariable(variable, lookup);
    }

    /**
     * Reads the password. It may do file I/O.
     *
     * @throws RemoteException RD032 if the place cannot be read, or others may read it
     */
    public abstract String read() throws RemoteException;

    /** The place that holds the password, such as {@code file /etc/db.pw}. Never the password. */
    public abstract String source();

    @Override
    public final String toString() {
        return source();
    }

    private static final class Literal extends Secret {
        private final String password;

        Literal(String password) {
            this.password = password;
        }

        @Override
        public String read() {
            return password;
        }

        @Override
        public String source() {
            return "given by the application";
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Literal that
                    && MessageDigest.isEqual(
                            password.getBytes(StandardCharsets.UTF_8), that.password.getBytes(StandardCharsets.UTF_8));
        }

        /** The same for all, so that it tells nothing about the password. */
        @Override
        public int hashCode() {
            return Literal.class.hashCode();
        }
    }

    private static final class OfFile extends Secret {
        private final Path file;

        OfFile(Path file) {
            this.file = file;
        }

        @Override
        public String read() throws RemoteException {
            try {
                refuseOpenFile();
                try (InputStream in = Files.newInputStream(file)) {
                    byte[] bytes = in.readNBytes(FILE_BYTES_MAX + 1);
                    if (bytes.length > FILE_BYTES_MAX) {
                        throw refused("a file of at most " + FILE_BYTES_MAX + " bytes");
                    }
                    return new String(bytes, StandardCharsets.UTF_8).replaceFirst("\\r?\\n\\z", "");
                }
            } catch (IOException e) {
                throw new RemoteException(
                        RemoteErrorCode.INVALID_OPTION,
                        "option password_file is '" + file + "', which cannot be read ("
                                + e.getClass().getSimpleName() + "); allowed: a file that this process can read",
                        e);
            }
        }

        private void refuseOpenFile() throws IOException, RemoteException {
            PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
            if (view != null && !OWNER_ONLY.containsAll(view.readAttributes().permissions())) {
                throw refused("a file that only its owner may read and write (mode 0600)");
            }
        }

        private RemoteException refused(String allowed) {
            return RemoteException.invalidOption("password_file", file, allowed);
        }

        @Override
        public String source() {
            return "file " + file;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof OfFile that && file.equals(that.file);
        }

        @Override
        public int hashCode() {
            return file.hashCode();
        }
    }

    private static final class OfVariable extends Secret {
        private final String variable;
        private final Function<String, @Nullable String> lookup;

        OfVariable(String variable, Function<String, @Nullable String> lookup) {
            this.variable = variable;
            this.lookup = lookup;
        }

        @Override
        public String read() throws RemoteException {
            String value = lookup.apply(variable);
            if (value == null) {
                throw RemoteException.invalidOption(
                        "password", "$" + variable, "an environment variable that is set for this process");
            }
            return value;
        }

        @Override
        public String source() {
            return "environment variable " + variable;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof OfVariable that && variable.equals(that.variable);
        }

        @Override
        public int hashCode() {
            return variable.hashCode();
        }
    }
}
