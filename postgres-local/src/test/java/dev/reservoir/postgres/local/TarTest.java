package dev.reservoir.postgres.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives as tar writes them, made by hand. */
class TarTest {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream archive = new ByteArrayOutputStream();

    private void entry(char type, String name, String link, String mode, String content) throws IOException {
        byte[] header = new byte[512];
        put(header, 0, name);
        put(header, 100, mode);
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        put(header, 124, "%011o".formatted(bytes.length));
        header[156] = (byte) type;
        put(header, 157, link);
        put(header, 257, "ustar");
        archive.write(header);
        archive.write(bytes);
        archive.write(new byte[(512 - bytes.length % 512) % 512]);
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private void unpack() throws IOException {
        archive.write(new byte[1024]);
        Tar.unpack(new ByteArrayInputStream(archive.toByteArray()), folder);
    }

    @Test
    void filesFoldersAndLinksComeOut() throws IOException {
        String longName = "./lib/" + "x".repeat(150);
        entry('5', "./", "", "0000755", "");
        entry('0', "./bin/run", "", "0000755", "echo");
        entry('0', "lib/full", "", "0000644", "y".repeat(512));
        entry('2', "lib/short", "full", "0000777", "");
        entry('L', "././@LongLink", "", "0000644", longName + "\0");
        entry('0', longName.substring(0, 100), "", "0000644", "long");
        unpack();

        assertThat(folder.resolve("bin/run")).hasContent("echo").isExecutable();
        assertThat(Files.isExecutable(folder.resolve("lib/full"))).isFalse();
        assertThat(folder.resolve("lib/short")).isSymbolicLink().hasContent("y".repeat(512));
        assertThat(folder.resolve(longName)).hasContent("long");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../out", "/tmp/out", "a/../../out"})
    void aNameThatLeadsOutIsRefused(String name) throws IOException {
        entry('0', name, "", "0000644", "x");
        assertThatThrownBy(this::unpack).isInstanceOf(IOException.class).hasMessageContaining("leads out");
    }

    @Test
    void aLinkThatLeadsOutIsRefused() throws IOException {
        entry('2', "a/link", "../../out", "0000777", "");
        assertThatThrownBy(this::unpack).isInstanceOf(IOException.class).hasMessageContaining("leads out");
    }

    @Test
    void whatIsNotKnownIsRefused() throws IOException {
        entry('3', "device", "", "0000644", "");
        assertThatThrownBy(this::unpack).isInstanceOf(IOException.class).hasMessageContaining("is of type '3'");
    }

    @Test
    void anArchiveThatEndsTooEarlyIsRefused() throws IOException {
        entry('0', "file", "", "0000644", "x".repeat(600));
        byte[] whole = archive.toByteArray();
        assertThatThrownBy(() -> Tar.unpack(new ByteArrayInputStream(whole, 0, 700), folder))
                .isInstanceOf(EOFException.class);
    }
}
