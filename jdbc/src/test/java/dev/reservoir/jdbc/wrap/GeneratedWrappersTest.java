package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** The wrappers in the source tree are equal to the output of the generator. */
class GeneratedWrappersTest {
    private static final Path SOURCES = Path.of("src/main/generated");
    private static final Path FOLDER = Path.of("dev/reservoir/jdbc/wrap");

    @Test
    @EnabledForJreRange(max = JRE.JAVA_25)
    void generatingAgainChangesNothing(@TempDir Path generated) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "src/generate/java/GenerateWrappers.java",
                        generated.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();

        for (String name : List.of("Connection", "Statement", "PreparedStatement", "CallableStatement", "ResultSet")) {
            assertSame(generated, name);
        }
        assertSame(generated, "DatabaseMetaData");
    }

    private static void assertSame(Path generated, String name) throws IOException {
        Path file = FOLDER.resolve("Wrapped" + name + ".java");

        assertThat(withoutFormat(SOURCES.resolve(file)))
                .as("%s; generate it again, GenerateWrappers says how", file)
                .isEqualTo(withoutFormat(generated.resolve(file)));
    }

    /** The formatter moves white space, and the asterisks of a comment that it wraps. */
    private static String withoutFormat(Path file) throws IOException {
        return Files.readString(file).replaceAll("(?m)^ +\\*(?!/)", "").replaceAll("\\s+", "");
    }
}
