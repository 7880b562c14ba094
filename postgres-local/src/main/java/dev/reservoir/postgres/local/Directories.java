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

/** Creates, checks and deletes folders that only the user of this process may enter. */
final class Directories {
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final boolean UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int ENTERED_BY_OTHERS = 0077;

    /** With this mode bit, only the owner of a file may rename or delete it. */
    private static final int STICKY = 01000;

    private Directories() {}

    /** A new folder with mode 0700 and a name that nobody can guess. */
    static Path temporary(String prefix) throws IOException {
        return Files.createTempDirectory(prefix, permissions("rwx------"));
    }

    /** A new folder with mode 0700. Fails if the name is taken. */
    static Path make(Path directory) throws IOException {
        return Files.createDirectory(directory, permissions("rwx------"));
    }

    /**
     * The attributes of a new file or folder. Empty on systems without POSIX permissions, where a user's folders are
     * private anyway.
     */
    static FileAttribute<?>[] permissions(String permissions) {
        return POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** The id of the user who owns a file, or -1 on systems without user ids. */
    static int owner(Path file) throws IOException {
        return UNIX ? (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS) : -1;
    }

    /**
     * Whether only this user and root can enter a folder or replace it. Others may enter the folders above it, but not
     * write to them.
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

    /** Deletes a folder and everything in it. Follows no link. */
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
