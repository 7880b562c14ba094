package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command, as it is called from a shell. */
class MainTest {
    private final PrintStream outBefore = System.out;
    private final PrintStream errBefore = System.err;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void catchOutput() {
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void letGo() {
        System.setOut(outBefore);
        System.setErr(errBefore);
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }

    @Test
    void withoutACommandItSaysHowItIsCalled() {
        assertThat(Main.run()).isEqualTo(2);

        assertThat(text(err)).startsWith("reservoir: no command given").contains("usage: reservoir demo");
        assertThat(text(out)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fill | unknown command 'fill'; known: demo",
                "demo --fast | unknown option '--fast'; known: --for, --plain",
                "demo --for | --for is 'nothing'; allowed: such as 20s, 2m or 1h, at most 24h",
                "demo --for soon | --for is 'soon'; allowed: such as 20s, 2m or 1h, at most 24h",
                "demo --for 0s | --for is '0s'; allowed: such as 20s, 2m or 1h, at most 24h",
                "demo --for 25h | --for is '25h'; allowed: such as 20s, 2m or 1h, at most 24h",
                "demo --plain --for -1s | --for is '-1s'; allowed: such as 20s, 2m or 1h, at most 24h"
            })
    void aWrongCallEndsWithTwoAndSaysWhatIsWrong(String line, String message) {
        assertThat(Main.run(line.split(" "))).isEqualTo(2);

        assertThat(text(err)).startsWith("reservoir: " + message).contains("usage: reservoir demo");
        assertThat(text(out)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"--help", "-h", "help"})
    void helpIsNoError(String argument) {
        assertThat(Main.run(argument)).isZero();

        assertThat(text(out)).startsWith("usage: reservoir demo");
        assertThat(text(err)).isEmpty();
    }

    @Test
    @Timeout(300)
    void theDemoRunsWithoutErrors() {
        int code = Main.run("demo", "--for", "2s", "--plain");

        assertThat(code).as(text(out) + text(err)).isZero();
        assertThat(text(out)).contains("A reservoir of 40 connections", " queries, 0 errors.");
    }
}
