package dev.reservoir.cli.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cli.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that a command writes: checked before the work, and never written in part. */
class OutputFileTest {
    @TempDir
    Path folder;

    private final Shell shell = Shell.piped();

    @Test
    void aFolderIsRefusedBeforeAnythingIsRun() {
        assertThat(shell.run("sim", "ten-thousand", "--out", folder.toString())).isEqualTo(2);

        assertThat(shell.err())
                .isEqualTo("reservoir: --out: '" + folder + "' is a folder; allowed: a file in a folder that exists\n");
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void aFolderThatDoesNotExistIsNamed() {
        Path file = folder.resolve("no/report.html");

        assertThat(shell.run("sim", "ten-thousand", "--report", file.toString()))
                .isEqualTo(2);

        assertThat(shell.err())
                .isEqualTo("reservoir: --report: '" + file
                        + "' cannot be written: its folder does not exist; allowed: a file in a folder that exists\n");
    }

    @Test
    void aFileInAFileCannotBe() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "").resolve("x.xml");

        assertThat(shell.run("sim", "ten-thousand", "--junit", file.toString())).isEqualTo(2);

        assertThat(shell.err()).startsWith("reservoir: --junit: '" + file + "' cannot be written: ");
    }

    @Test
    void anEmptyNameIsRefused() {
        assertThat(shell.run("sim", "ten-thousand", "--out=")).isEqualTo(2);

        assertThat(shell.err()).startsWith("reservoir: --out: '' is no file; ");
    }

    @Test
    void twoResultsInOneFileAreRefused() {
        String file = folder.resolve("r").toString();

        assertThat(shell.run("sim", "ten-thousand", "--out", file, "--report", file))
                .isEqualTo(2);

        assertThat(shell.err()).startsWith("reservoir: --report: '" + file + "' is already used by this command;");
    }

    @Test
    void theScenarioIsNotOverwritten() throws IOException {
        Path file = Files.writeString(folder.resolve("s.yaml"), "services: [{name: a}]\n");

        assertThat(shell.run(
                        "sim",
                        file.toString(),
                        "--out",
                        folder.resolve("./s.yaml").toString()))
                .isEqualTo(2);

        assertThat(shell.err()).contains("is already used by this command");
        assertThat(file).hasContent("services: [{name: a}]\n");
    }

    @Test
    void aWriteThatFailsLeavesTheOldFileAndNothingBeside() throws IOException {
        Path file = Files.writeString(folder.resolve("old.csv"), "old");
        OutputFile output = OutputFile.of("--out", file.toString());

        assertThatThrownBy(() -> output.write(to -> {
                    to.append("half");
                    throw new IOException("disk full");
                }))
                .hasMessage("disk full");

        assertThat(file).hasContent("old");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aLinkStaysALink() throws IOException {
        Path file = Files.writeString(folder.resolve("real.csv"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link.csv"), file);

        OutputFile.of("--out", link.toString()).write(to -> to.append("new"));

        assertThat(link).isSymbolicLink();
        assertThat(file).hasContent("new");
    }

    @Test
    void aDeviceIsWrittenAsItIs() throws IOException {
        Path device = Path.of("/dev/null");
        Assumptions.assumeTrue(Files.exists(device));

        OutputFile.of("--out", device.toString()).write(to -> to.append("gone"));

        assertThat(Files.isRegularFile(device)).isFalse();
        assertThat(device).exists();
    }

    @Test
    void withoutTheOptionThereIsNoFile() {
        assertThat(OutputFile.of("--out", null)).isNull();
    }
}
