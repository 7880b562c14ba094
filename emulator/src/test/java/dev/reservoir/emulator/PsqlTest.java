package dev.reservoir.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** PostgreSQL's own shell, if this machine has it. */
class PsqlTest {
    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

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

    private static String psql(String script) throws IOException, InterruptedException {
        DsqlEmulator emulator = dsql.emulator();
        String address = "host=localhost hostaddr=127.0.0.1 port=" + emulator.port()
                + " user=admin dbname=postgres sslmode=verify-full sslrootcert=" + emulator.caCertificate();
        ProcessBuilder builder =
                new ProcessBuilder(List.of("psql", "-X", "-A", "-t", "-v", "VERBOSITY=verbose", address));
        builder.environment().put("LC_ALL", "C");
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().write(script.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    @Test
    void aSessionOfPsqlGoesAsItShould() throws Exception {
        String output = psql("""
                show transaction_isolation;
                create table lines (id int primary key, text text);
                copy lines from stdin;
                1\tone
                2\ttwo
                \\.
                select count(*) from lines;
                begin;
                insert into lines values (3, 'three');
                savepoint here;
                select 1;
                rollback;
                select count(*) from lines \\; select 'both';
                truncate lines;
                create index async on lines (text);
                select indexname from pg_indexes where tablename = 'lines' order by 1;
                """);
        assertThat(output)
                .contains("repeatable read\n", "COPY 2\n2\n")
                .contains("ERROR:  0A000: unsupported transaction statement: SAVEPOINT")
                .contains("ERROR:  25P02: current transaction is aborted")
                .contains("ROLLBACK\n2\nboth\n")
                .contains("ERROR:  0A000: unsupported statement: Truncate")
                .containsPattern("\n[0-9a-f]{8}-[0-9a-f-]{27}\n")
                .contains("lines_pkey\nlines_text_idx\n");
    }

    @Test
    void resultsInPartsNeedACursorWhichIsRefused() throws Exception {
        String output = psql("""
                \\set FETCH_COUNT 10
                select i from generate_series(1, 20) i;
                \\unset FETCH_COUNT
                select 'still here';
                """);
        assertThat(output)
                .contains("ERROR:  0A000: unsupported statement: DeclareCursor")
                .contains("still here\n");
    }

    @Test
    void pgDumpIsTurnedAway() throws Exception {
        DsqlEmulator emulator = dsql.emulator();
        String address = "host=localhost hostaddr=127.0.0.1 port=" + emulator.port()
                + " user=admin dbname=postgres sslmode=verify-full sslrootcert=" + emulator.caCertificate();
        Process process;
        try {
            process = new ProcessBuilder(List.of("pg_dump", "--schema-only", "--dbname", address))
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "no pg_dump here");
            return;
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
        // A pg_dump that is older than the server does not even try.
        assertThat(output)
                .containsAnyOf(
                        "setting configuration parameter \"TRANSACTION\" not supported", "server version mismatch");
    }

    @Test
    void psqlShowsTheWordsOfARefusedConnect() throws Exception {
        Limits before = dsql.emulator().limits();
        dsql.emulator().limits(before.withBurst(1).withRatePerSecond(0.001));
        try {
            psql("select 1;");
            assertThat(psql("select 1;")).contains("Unable to accept connection, rate exceeded.");
        } finally {
            dsql.emulator().limits(before);
        }
    }
}
