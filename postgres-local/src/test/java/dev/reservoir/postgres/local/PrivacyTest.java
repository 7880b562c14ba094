package dev.reservoir.postgres.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Other users of the machine cannot use the server, and can neither read nor write its files. */
@DisabledOnOs(OS.WINDOWS)
class PrivacyTest {
    private static LocalPostgres server;
    private static Path directory;
    private static Path programs;

    @BeforeAll
    static void start() {
        server = LocalPostgres.start();
        directory = server.dataDirectory().getParent();
        programs = server.programs();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({"postgres, ''", "postgres, postgres", "postgres, wrong", "nobody, ''", "nobody, wrong"})
    void nobodyLogsInWithoutThePassword(String user, String password) {
        assertThatThrownBy(() -> DriverManager.getConnection(server.urlWithoutUser(), user, password))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isIn("28P01", "08004"));
    }

    @Test
    void everyWayInAsksForThePassword() throws Exception {
        List<String> rules = Files.readAllLines(server.dataDirectory().resolve("pg_hba.conf")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        assertThat(rules).isNotEmpty().allMatch(line -> line.endsWith("scram-sha-256"));
        assertThat(LocalPostgresTest.ask(
                        server, "select left(rolpassword, 13) from pg_authid where rolname = 'postgres'"))
                .isEqualTo("SCRAM-SHA-256");
        assertThat(LocalPostgresTest.ask(server, "show unix_socket_directories"))
                .isIn(directory.toString(), "");
    }

    @Test
    void twoServersHaveTwoPasswords() {
        try (LocalPostgres other = LocalPostgres.start()) {
            assertThat(other.password()).hasSizeGreaterThanOrEqualTo(32).isNotEqualTo(server.password());
            assertThat(other.toString()).doesNotContain(other.password());
        }
    }

    @Test
    void thePasswordIsInNoFileAndOnNoCommandLine() throws IOException {
        String password = server.password();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .as("%s", file)
                        .doesNotContain(password);
            }
        }
        assertThat(ProcessHandle.allProcesses()
                        .map(one -> one.info().commandLine().orElse(""))
                        .filter(line -> line.contains(password)))
                .isEmpty();
    }

    @Test
    void itsFoldersAreForTheOwnerAlone() throws IOException {
        Set<PosixFilePermission> owner = PosixFilePermissions.fromString("rwx------");
        for (Path folder : List.of(directory, server.dataDirectory(), programs, programs.resolve("bin"))) {
            assertThat(Files.getPosixFilePermissions(folder)).as("%s", folder).isEqualTo(owner);
        }
        int user = Directories.owner(directory);
        assertThat(Directories.isPrivate(programs, user)).isTrue();
        try (Stream<Path> files = Files.walk(programs)) {
            assertThat(files.filter(file -> !Files.isSymbolicLink(file)))
                    .allSatisfy(file -> assertThat(Files.getPosixFilePermissions(file))
                            .as("%s", file)
                            .isSubsetOf(owner));
        }
    }

    @Test
    void aFolderThatOthersCanWriteToIsNotPrivate(@TempDir Path folder) throws IOException {
        int user = Directories.owner(folder);
        Path inner = Files.createDirectory(folder.resolve("inner"), Directories.permissions("rwx------"));
        assertThat(Directories.isPrivate(inner, user)).isTrue();
        assertThat(Directories.isPrivate(inner, user + 1)).isFalse();

        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(Directories.isPrivate(inner, user)).isFalse();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(Directories.isPrivate(inner, user)).isTrue();
        Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("rwxr-x---"));
        assertThat(Directories.isPrivate(inner, user)).isFalse();
    }

    private static int exitCode(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as(said).isTrue();
        assertThat(said).doesNotContain("setpriv:");
        return process.exitValue();
    }

    @Test
    void anotherUserCanNeitherReadNorWriteNorReachTheSocket() throws Exception {
        AnotherUser.assumePossible();
        Path socket = directory.resolve(".s.PGSQL." + server.port());
        assertThat(Files.exists(socket)).isTrue();
        for (Path file : List.of(
                socket,
                server.log(),
                server.dataDirectory().resolve("pg_hba.conf"),
                programs.resolve("bin").resolve("postgres"))) {
            assertThat(Files.exists(file)).isTrue();
            for (String right : List.of("-e", "-r", "-w", "-x")) {
                assertThat(exitCode(new ProcessBuilder(AnotherUser.command("/usr/bin/test", right, file.toString()))))
                        .as("%s %s", right, file)
                        .isEqualTo(1);
            }
        }
        for (Path folder : List.of(directory, programs)) {
            assertThat(exitCode(new ProcessBuilder(AnotherUser.command(
                            "/usr/bin/touch", folder.resolve("intruder").toString()))))
                    .isNotZero();
        }
    }

    @Test
    void anOrdinaryUserCanRunOne(@TempDir Path folder) throws Exception {
        AnotherUser.assumePossible();
        ProcessBuilder builder = AnotherUser.java(OrdinaryUser.class, folder);

        assertThat(exitCode(builder)).isZero();
        try (Stream<Path> left = Files.list(folder.resolve("tmp"))) {
            assertThat(left.filter(file -> !file.getFileName().toString().startsWith("hsperfdata")))
                    .isEmpty();
        }
    }
}
