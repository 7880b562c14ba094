package dev.reservoir.pgwire;

import static dev.reservoir.pgwire.ExampleServer.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets in, and how. */
class LoginTest {
    private static String refused(ExampleServer server, String user, String password, String more) {
        SQLException error = catchThrowableOfType(
                SQLException.class, () -> server.connect(user, password, more).close());
        assertThat((Throwable) error).as("a refusal").isNotNull();
        return error.getSQLState() + " " + error.getMessage();
    }

    @Test
    void theRightPasswordOpensASession() throws Exception {
        try (ExampleServer server = ExampleServer.withPassword();
                Connection connection = server.connect()) {
            assertThat(values(connection, "echo 1")).containsExactly("1");
            ClientInfo client = server.nextHandler().client;
            assertThat(client.user()).isEqualTo(ExampleServer.USER);
            assertThat(client.database()).isEqualTo("db");
            assertThat(client.parameters()).containsEntry("client_encoding", "UTF8");
        }
    }

    @Test
    void aWrongPasswordAndAnUnknownUserAreRefusedAlike() {
        try (ExampleServer server = ExampleServer.withPassword()) {
            assertThat(refused(server, ExampleServer.USER, "wrong", ""))
                    .isEqualTo("28P01 FATAL: password authentication failed for user \"ann\"");
            assertThat(refused(server, "bob", ExampleServer.PASSWORD, ""))
                    .isEqualTo("28P01 FATAL: password authentication failed for user \"bob\"");
        }
    }

    @Test
    void theSaltDoesNotShowWhichUsersExist() throws Exception {
        try (ExampleServer server = ExampleServer.withPassword()) {
            for (String user : List.of(ExampleServer.USER, "bob")) {
                try (RawClient first = new RawClient(server);
                        RawClient second = new RawClient(server)) {
                    assertThat(second.salt(user)).isEqualTo(first.salt(user)).hasSize(24);
                }
            }
            try (RawClient bob = new RawClient(server);
                    RawClient eve = new RawClient(server)) {
                assertThat(bob.salt("bob")).isNotEqualTo(eve.salt("eve"));
            }
        }
    }

    @Test
    void aServerMustSayWhetherItNeedsPasswords() {
        assertThatThrownBy(() -> PgServer.builder(ExampleHandler::new).start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("nobody could log in; call login(...) or withoutPassword()");
        assertThatThrownBy(() -> PgServer.builder(ExampleHandler::new)
                        .login("ann", "x")
                        .withoutPassword()
                        .start())
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> PgServer.builder(ExampleHandler::new).login("ann", "grün"))
                .hasMessage("the password of user ann is refused; allowed: printable ASCII characters, at least one");
    }

    @Test
    void aHandlerMayRefuseAClient() {
        try (PgServer server = PgServer.builder(client -> {
                    throw new PgException(PgError.error("3D000", "database \"db\" does not exist"));
                })
                .withoutPassword()
                .start()) {
            assertThatThrownBy(() -> java.sql.DriverManager.getConnection(
                                    "jdbc:postgresql://127.0.0.1:" + server.port() + "/db", "ann", "")
                            .close())
                    .hasMessage("FATAL: database \"db\" does not exist");
        }
    }

    @Test
    void withTlsEveryClientMustEncrypt(@TempDir Path folder) throws Exception {
        TestCertificate certificate = TestCertificate.create();
        Path authority = folder.resolve("ca.pem");
        Files.writeString(authority, certificate.pem());
        try (ExampleServer server = ExampleServer.with(builder ->
                builder.login(ExampleServer.USER, ExampleServer.PASSWORD).tls(certificate.context()))) {
            String verified = "&sslmode=verify-full&sslrootcert=" + authority;
            try (Connection connection = server.connect(verified)) {
                assertThat(values(connection, "echo 1")).containsExactly("1");
            }
            try (Connection connection = server.connect(verified + "&sslNegotiation=direct")) {
                assertThat(values(connection, "echo 2")).containsExactly("2");
            }
            assertThat(refused(server, ExampleServer.USER, ExampleServer.PASSWORD, "&sslmode=disable"))
                    .isEqualTo("28000 FATAL: TLS is required");
        }
    }

    @Test
    void withoutTlsAClientThatPrefersItGoesOnWithout() throws SQLException {
        try (ExampleServer server = ExampleServer.withPassword();
                Connection connection = server.connect("&sslmode=prefer")) {
            assertThat(values(connection, "echo 1")).containsExactly("1");
        }
    }
}
