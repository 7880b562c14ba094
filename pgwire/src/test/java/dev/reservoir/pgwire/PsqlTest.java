package dev.reservoir.pgwire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** PostgreSQL's own shell, where this machine has it. */
class PsqlTest {
    @BeforeAll
    static void isThere() {
        boolean found;
        try {
            Process process = new ProcessBuilder("psql", "--version").start();
            found = process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException | InterruptedException e) {
            found = false;
        }
        assumeTrue(found, "no psql here");
    }

    private static String psql(ExampleServer server, String password, String script)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(List.of(
                "psql",
                "-X",
                "-A",
                "-t",
                "-v",
                "VERBOSITY=verbose",
                "host=127.0.0.1 port=" + server.server.port() + " user=" + ExampleServer.USER + " dbname=db"));
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("PGPASSWORD", password);
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().write(script.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    @Test
    void aSessionOfPsqlGoesAsItShould() throws Exception {
        try (ExampleServer server = ExampleServer.withPassword()) {
            assertThat(psql(server, ExampleServer.PASSWORD, """
                            echo 42;
                            count 3;
                            set color = 'blue';
                            show color;
                            begin;
                            nonsense;
                            echo 1;
                            rollback;
                            echo 1 \\; echo 2;
                            discard all;
                            show color;
                            """)).isEqualTo("""
                            42
                            1
                            2
                            3
                            SET
                            blue
                            BEGIN
                            ERROR:  42601: unknown statement "nonsense"
                            LINE 1: nonsense;
                                    ^
                            ERROR:  25P02: the transaction has failed
                            ROLLBACK
                            1
                            2
                            DISCARD ALL

                            """);
        }
    }

    @Test
    void psqlShowsARefusedLogin() throws Exception {
        try (ExampleServer server = ExampleServer.withPassword()) {
            assertThat(psql(server, "wrong", "echo 1;"))
                    .contains("FATAL:  password authentication failed for user \"ann\"");
        }
    }
}
