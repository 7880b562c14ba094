package dev.reservoir.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cli.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets come from files that only their owner may read. */
@DisabledOnOs(OS.WINDOWS)
class SecretFileTest {
    @TempDir
    private Path folder;

    private String file(String mode, String content) throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return file.toString();
    }

    @Test
    void itsOnlyLineIsTheSecret() throws IOException {
        assertThat(SecretFile.read("--secret-file", file("rw-------", "hunter2\n")))
                .isEqualTo("hunter2");
        assertThat(SecretFile.read("--secret-file", file("r--------", " hunter 2")))
                .isEqualTo(" hunter 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--r--", "rw-r-----", "rw--w----", "rw-----w-"})
    void oneThatOthersMayUseIsRefused(String mode) throws IOException {
        String name = file(mode, "hunter2");
        assertThatThrownBy(() -> SecretFile.read("--secret-file", name))
                .isInstanceOf(MisuseException.class)
                .hasMessage("--secret-file is '" + name + "' with the mode " + mode
                        + "; allowed: a file that its owner alone may use (chmod 600)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "hunter2\nhunter3\n"})
    void oneWithoutOneLineIsRefusedWithoutShowingIt(String content) throws IOException {
        String name = file("rw-------", content);
        assertThatThrownBy(() -> SecretFile.read("--secret-file", name))
                .isInstanceOf(MisuseException.class)
                .hasMessage("--secret-file is '" + name + "'; allowed: a file with one line, of up to 4096 bytes");
    }

    @Test
    void aFileThatIsFarTooLongIsRefused() throws IOException {
        String name = file("rw-------", "x".repeat(5000));
        assertThatThrownBy(() -> SecretFile.read("--secret-file", name)).isInstanceOf(MisuseException.class);
    }

    @Test
    void halfAnAccessKeyInTheEnvironmentIsNotEnough() {
        Shell shell = Shell.piped().with("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE").with("AWS_SECRET_ACCESS_KEY", "");

        assertThat(shell.run("emulator", "--tokens", "signature")).isEqualTo(2);
        assertThat(shell.err()).contains("or with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    }
}
