package dev.reservoir.remote.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserMappingTest {
    @TempDir
    Path folder;

    @Test
    void theRemoteUserIsTheLocalUserUnlessAnotherIsGiven() throws RemoteException {
        assertThat(UserMapping.builder("s", "ann").build().remoteUser()).isEqualTo("ann");
        assertThat(UserMapping.builder("s", "ann").remoteUser("app").build().remoteUser())
                .isEqualTo("app");
        assertThatThrownBy(() -> UserMapping.forPublic("s").build()).hasMessageContaining("remote_user is missing");
    }

    @Test
    void aFileIsReadForEachConnectSoThatItsPasswordCanChange() throws IOException, RemoteException {
        Path file = write("first\n", "rw-------");
        Secret secret = Secret.file(file);
        assertThat(secret.read()).isEqualTo("first");
        Files.writeString(file, "second word \r\n");
        assertThat(secret.read()).isEqualTo("second word ");
        assertThat(secret.toString()).isEqualTo("file " + file);
    }

    @Test
    void aFileThatOthersMayReadIsRefused() throws IOException {
        Path file = write("hunter2", "rw-r-----");
        assertThatThrownBy(() -> Secret.file(file).read())
                .isInstanceOf(RemoteException.class)
                .hasMessage("RD032: option password_file is '" + file
                        + "'; allowed: a file that only its owner may read and write (mode 0600)");
        assertThatThrownBy(() -> Secret.file(folder.resolve("none")).read())
                .hasMessageContaining("cannot be read (NoSuchFileException)");
    }

    @Test
    void aVariableIsReadForEachConnect() throws RemoteException {
        Map<String, String> variables = new HashMap<>();
        Secret secret = Secret.environment("DB_PASSWORD", variables::get);
        assertThatThrownBy(secret::read).hasMessageContaining("'$DB_PASSWORD'");
        variables.put("DB_PASSWORD", "a");
        assertThat(secret.read()).isEqualTo("a");
        variables.put("DB_PASSWORD", "b");
        assertThat(secret.read()).isEqualTo("b");
    }

    @Test
    void sqlTakesAVariableOrAFileAndNeverAPassword() throws RemoteException {
        UserMapping mapping =
                UserMapping.builder("s", "ann").option("password", "$DB_PW").build();
        assertThat(mapping.remotePassword()).hasToString("environment variable DB_PW");
        assertThat(mapping.options()).doesNotContainKey("password");
        assertThatThrownBy(() -> UserMapping.builder("s", "ann").option("password", "hunter2"))
                .hasMessageContaining("password_file")
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> UserMapping.builder("s", "ann")
                        .option("password", "$DB_PW")
                        .option("password_file", "/x")
                        .build())
                .hasMessageContaining("both given");
    }

    @Test
    void nothingShowsALiteralPassword() throws RemoteException {
        UserMapping mapping = UserMapping.builder("s", "ann")
                .remotePassword(Secret.literal("hunter2"))
                .build();
        assertThat(mapping.remotePassword().read()).isEqualTo("hunter2");
        assertThat(mapping + " " + mapping.remotePassword() + mapping.options()).doesNotContain("hunter2");
    }

    @Test
    void anotherSecretMakesConnectionsStale() throws RemoteException {
        UserMapping before = UserMapping.builder("s", "ann")
                .remotePassword(Secret.literal("a"))
                .build();
        assertThat(before.toBuilder().build()).isEqualTo(before);
        assertThat(before.toBuilder().build().connectsLike(before)).isTrue();
        UserMapping after =
                before.toBuilder().remotePassword(Secret.literal("b")).build();
        assertThat(after.connectsLike(before)).isFalse();
        assertThat(after.id()).isEqualTo(before.id());
        assertThat(before.toBuilder().option("password", "$X").build().remotePassword())
                .hasToString("environment variable X");
    }

    @Test
    void anErrorKeepsStateAndCodeOfTheDatabase() {
        SQLException original = new SQLException("refused", "28P01", 1045);
        RemoteException error = new RemoteException(RemoteErrorCode.AUTHENTICATION_FAILED, "s: refused", original);
        assertThat(error.getSQLState()).isEqualTo("28P01");
        assertThat(error.getErrorCode()).isEqualTo(1045);
        assertThat(error.isRetryable()).isFalse();
        assertThat((Throwable) error).hasMessage("RD002: s: refused").hasCause(original);
        assertThat(new RemoteException(RemoteErrorCode.POOL_EXHAUSTED, "full").isRetryable())
                .isTrue();
        assertThat(RemoteErrorCode.of("RD005")).isEqualTo(RemoteErrorCode.POOL_EXHAUSTED);
        assertThat(RemoteErrorCode.values()).hasSize(22);
    }

    private Path write(String text, String permissions) throws IOException {
        Path file = folder.resolve("pw");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file;
    }
}
