package dev.reservoir.postgres.local;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Makes, checks and deletes folders that only this process's user may enter. */
final class Directories {
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final boolean UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int ENTERED_BY_OTHERS = 0077;

    /** Only the owner of a file may rename or delete it. */
    private static final int STICKY = 01000;

    private Directories() {}

    /** A new folder with mode 0700 and a name that nobody can guess. */
    static Path temporary(String prefix) throws IOException {
        return Files.createTempDirectory(prefix, permissions("rwx------"));
    }

    /** A new folder with mode 0700. Fails if there is something of that name. */
    static Path make(Path directory) throws IOException {
        return Files.createDirectory(directory, permissions("rwx------"));
    }

    /** Attributes of a new file or folder; none where the system has other means, and a user's folders are private anyway. */
    static FileAttribute<?>[] permissions(String permissions) {
        return POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** The number of the user who owns a file; -1 where users have no numbers. */
    static int owner(Path file) throws IOException {
        return UNIX ? (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS) : -1;
    }

    /**
     * Whether nobody but a user, and root, can enter a folder or put another in its place. The folders above it may be entered, but not be
     * written to, by others.
     */
    static boolean isPrivate(Path directory, int user) throws IOException {
        if (!UNIX) {
            return true;
        }
        if (owner(directory) != user || (mode(directory) & ENTERED_BY_OTHERS) != 0) {
            return false;
        }
        for (Path above = directory.toRealPath().getParent(); above != null; above = above.getParent()) {
            int owner = owner(above);
            int mode = mode(above);
            boolean othersMayReplace = (mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0;
            if ((owner != user && owner != ROOT) || othersMayReplace) {
                return false;
            }
        }
        return true;
    }

    private static int mode(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    }

    /** Deletes a folder and all that is in it. Follows no link. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> innermostFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : innermostFirst) {
                Files.deleteIfExists(file);
            }
        }
    }
}
