package dev.reservoir.postgres.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server does not outlive its JVM, even if that is killed. */
@DisabledOnOs(OS.WINDOWS)
class KillGuardTest {
    private static final int PATIENCE_SECONDS = 60;

    @Test
    void theServerOfAKilledJvmEndsAndItsFolderIsDeleted() throws Exception {
        endsWith(new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                WaitingProgram.class.getName()));
    }

    @Test
    void soDoesThatOfAnOrdinaryUser(@TempDir Path folder) throws Exception {
        AnotherUser.assumePossible();
        endsWith(AnotherUser.java(WaitingProgram.class, folder));
    }

    private static void endsWith(ProcessBuilder program) throws Exception {
        Process jvm = program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        ProcessHandle server;
        Path directory;
        try (BufferedReader said = jvm.inputReader()) {
            server = ProcessHandle.of(Long.parseLong(said.readLine().strip())).orElseThrow();
            directory = Path.of(said.readLine());
        } finally {
            jvm.destroyForcibly();
        }
        server.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        awaitDeleted(directory);
    }

    private static void awaitDeleted(Path directory) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (Files.exists(directory) && System.nanoTime() - end < 0) {
            Thread.sleep(50);
        }
        assertThat(directory).doesNotExist();
    }

    /** The process id in the folder may be another process's by now. */
    @Test
    void aProcessThatIsNotTheServerIsLeftAlone(@TempDir Path parent) throws IOException, InterruptedException {
        Path directory = Files.createDirectories(parent.resolve("postgres").resolve("data"))
                .getParent();
        Process other = new ProcessBuilder("sleep", "60").start();
        try {
            Files.writeString(directory.resolve("data").resolve("postmaster.pid"), other.pid() + "\n");
            KillGuard.of(directory).close();
            assertThat(directory).doesNotExist();
            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroy();
        }
    }
}
