package dev.reservoir.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An emulator leaves nothing behind. */
class CloseTest {
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("dsql-emulator"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** PostgreSQL itself, which is no child of this process. */
    private static ProcessHandle postgres(Path directory) throws IOException {
        List<String> lines = Files.readAllLines(directory.resolve("postgres/data/postmaster.pid"));
        return ProcessHandle.of(Long.parseLong(lines.get(0).strip())).orElseThrow();
    }

    private static Set<Path> directories() {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName()
                            .toString()
                            .startsWith(
                                    "dsql-emulator-" + ProcessHandle.current().pid()))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void closingLeavesNoThreadNoProcessNoFileAndNoConnection() throws Exception {
        DsqlEmulator dsql = DsqlEmulator.builder().start();
        ProcessHandle postgres;
        Path directory = dsql.caCertificate().getParent();
        try (Connection connection = Client.connect(dsql)) {
            postgres = postgres(directory);
            assertThat(postgres.isAlive()).isTrue();

            dsql.close();

            assertThat(connection.isValid(5)).isFalse();
        } finally {
            dsql.close();
        }
        assertThat(directory).doesNotExist();
        assertThat(directories()).isEmpty();
        await().atMost(Duration.ofSeconds(60)).until(() -> threads().isEmpty());
        await().atMost(Duration.ofSeconds(60)).until(() -> !postgres.isAlive());
    }

    @Test
    void aStartThatFailsLeavesNothingEither() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            assertThatThrownBy(() -> DsqlEmulator.builder()
                            .backend(Backend.stub())
                            .bindAddress("0.0.0.0")
                            .port(taken.getLocalPort())
                            .start()
                            .close())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("The emulator did not start");
        }
        assertThat(directories()).isEmpty();
        await().atMost(Duration.ofSeconds(60)).until(() -> threads().isEmpty());
    }
}
