package dev.reservoir.postgres.local;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Unpacks a tar archive into a folder that no other user may enter. Supports files, folders, links and GNU's long
 * names. Refuses every other entry, and every name that leads out of the folder.
 */
final class Tar {
    private static final int BLOCK = 512;
    private static final int EXECUTABLE = 0111;

    /** Longest name in bytes. No system has paths that long, so a longer name means that the archive is broken. */
    private static final long LONGEST_NAME = 32_768;

    private final InputStream in;
    private final Path target;
    private final byte[] header = new byte[BLOCK];

    private Tar(InputStream in, Path target) {
        this.in = in;
        this.target = target.normalize();
    }

    /** Unpacks until the archive ends. Blocks. */
    static void unpack(InputStream in, Path target) throws IOException {
        new Tar(in, target).unpack();
    }

    private void unpack() throws IOException {
        String longName = "";
        String longLink = "";
        while (next()) {
            long size = octal(124, 12);
            char type = (char) header[156];
            if (type == 'L') {
                longName = name(size);
            } else if (type == 'K') {
                longLink = name(size);
            } else {
                String name = longName.isEmpty() ? fullName() : longName;
                entry(type, within(name), size, longLink.isEmpty() ? text(157, 100) : longLink);
                longName = "";
                longLink = "";
            }
        }
    }

    private void entry(char type, Path file, long size, String link) throws IOException {
        if (type != '5') {
            makeFolder(file.resolveSibling(""));
        }
        switch (type) {
            case '0', '\0' -> write(file, size);
            case '1' -> Files.createLink(file, within(link));
            case '2' -> {
                within(target.relativize(file.resolveSibling(link).normalize()).toString());
                Files.createSymbolicLink(file, Path.of(link));
            }
            case '5' -> makeFolder(file);
            default -> throw new IOException("tar entry " + file + " is of type '" + type + "', which is not known");
        }
    }

    private void makeFolder(Path folder) throws IOException {
        Path normal = folder.normalize();
        if (!normal.equals(target)) {
            Files.createDirectories(normal, Directories.permissions("rwx------"));
        }
    }

    private void write(Path file, long size) throws IOException {
        boolean executable = (octal(100, 8) & EXECUTABLE) != 0;
        Files.createFile(file, Directories.permissions(executable ? "rwx------" : "rw-------"));
        try (OutputStream out = Files.newOutputStream(file)) {
            byte[] buffer = new byte[64 * 1024];
            long left = size;
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (read < 0) {
                    throw new EOFException("tar archive ends within " + file);
                }
                out.write(buffer, 0, read);
                left -= read;
            }
        }
        skipPadding(size);
    }

    /** Reads the next header. Returns false at the end of the archive, which is an empty block. */
    private boolean next() throws IOException {
        int read = in.readNBytes(header, 0, BLOCK);
        if (read != 0 && read != BLOCK) {
            throw new EOFException("tar archive ends within a header");
        }
        return read == BLOCK && header[0] != 0;
    }

    private String name(long size) throws IOException {
        if (size > LONGEST_NAME) {
            throw new IOException("tar archive has a name of " + size + " bytes; allowed: up to " + LONGEST_NAME);
        }
        byte[] bytes = in.readNBytes((int) size);
        skipPadding(size);
        return text(bytes, 0, bytes.length);
    }

    private void skipPadding(long size) throws IOException {
        in.skipNBytes((BLOCK - size % BLOCK) % BLOCK);
    }

    private String fullName() {
        boolean ustar = text(257, 6).equals("ustar");
        String prefix = ustar ? text(345, 155) : "";
        return prefix.isEmpty() ? text(0, 100) : prefix + "/" + text(0, 100);
    }

    private Path within(String name) throws IOException {
        Path file = target.resolve(name).normalize();
        if (!file.startsWith(target)) {
            throw new IOException("tar entry " + name + " leads out of the archive");
        }
        return file;
    }

    private String text(int from, int length) {
        return text(header, from, length);
    }

    private static String text(byte[] bytes, int from, int length) {
        int end = from;
        while (end < from + length && bytes[end] != 0) {
            end++;
        }
        return new String(Arrays.copyOfRange(bytes, from, end), StandardCharsets.UTF_8);
    }

    private long octal(int from, int length) throws IOException {
        String digits = text(from, length).strip();
        try {
            return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
        } catch (NumberFormatException e) {
            throw new IOException("tar archive has '" + digits + "' where an octal number should be", e);
        }
    }
}
