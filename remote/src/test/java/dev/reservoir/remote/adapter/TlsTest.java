package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.model.AuthType;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.testserver.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** TLS with certificates, on a PostgreSQL whose certificate names {@code localhost}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    static Path directory;

    @TempDir
    static Path elsewhere;

    private LocalPostgres postgres;
    private TestAuthority authority;
    private TestAuthority stranger;

    @BeforeAll
    void start() throws Exception {
        authority = new TestAuthority(directory);
        stranger = new TestAuthority(elsewhere);
        authority.issue("server", "localhost");
        authority.issue("client", "certuser");
        postgres = LocalPostgres.builder()
                .setting("ssl", "on")
                .setting("ssl_cert_file", directory.resolve("server.crt").toString())
                .setting("ssl_key_file", directory.resolve("server.key").toString())
                .setting("ssl_ca_file", authority.certificate.toString())
                .start();
        Path access = postgres.dataDirectory().resolve("pg_hba.conf");
        Files.writeString(
                access, "hostssl all certuser all cert\nhostnossl all tlsonly all reject\n" + Files.readString(access));
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE certuser LOGIN");
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    @AfterAll
    void stop() {
        postgres.close();
    }

    private ServerDefinition.Builder server(SslMode mode) {
        return ServerDefinition.builder("tls", RemoteDatabaseType.POSTGRESQL)
                .host("localhost")
                .port(postgres.port())
                .database(LocalPostgres.DATABASE)
                .sslMode(mode);
    }

    private UserMapping.Builder user() {
        return UserMapping.builder("tls", "tester")
                .remoteUser(LocalPostgres.USER)
                .remotePassword(Secret.literal(postgres.password()));
    }

    private static AdapterSession connect(ServerDefinition.Builder server, UserMapping.Builder user) throws Exception {
        ServerDefinition definition = server.build();
        return Adapters.installed().find(definition).connect(definition, user.build(), PATIENCE);
    }

    private Boolean encrypted(ServerDefinition.Builder server) throws Exception {
        try (AdapterSession session = connect(server, user())) {
            return session.info().encrypted();
        }
    }

    @Test
    void everyModeDoesWhatItSays() throws Exception {
        assertThat(encrypted(server(SslMode.DISABLE))).isFalse();
        assertThat(encrypted(server(SslMode.ALLOW))).isFalse();
        assertThat(encrypted(server(SslMode.PREFER))).isTrue();
        assertThat(encrypted(server(SslMode.REQUIRE))).isTrue();
        String file = authority.certificate.toString();
        assertThat(encrypted(server(SslMode.VERIFY_CA).sslCaCert(file))).isTrue();
        assertThat(encrypted(server(SslMode.VERIFY_FULL).sslCaCert(file))).isTrue();
    }

    @Test
    void aStrangeAuthorityIsRefused() {
        String file = stranger.certificate.toString();
        AdapterContract.fails(
                RemoteErrorCode.SSL_ERROR,
                () -> connect(server(SslMode.VERIFY_CA).sslCaCert(file), user()));
        AdapterContract.fails(
                RemoteErrorCode.SSL_ERROR,
                () -> connect(server(SslMode.VERIFY_FULL).sslCaCert(file), user()));
    }

    @Test
    void aCertificateForAnotherHostIsRefusedByVerifyFullAlone() throws Exception {
        String file = authority.certificate.toString();
        assertThat(encrypted(server(SslMode.VERIFY_CA).host("127.0.0.1").sslCaCert(file)))
                .isTrue();
        AdapterContract.fails(
                RemoteErrorCode.SSL_ERROR,
                () -> connect(server(SslMode.VERIFY_FULL).host("127.0.0.1").sslCaCert(file), user()));
    }

    @Test
    void aClientCertificateReplacesThePassword() throws Exception {
        UserMapping.Builder certified = UserMapping.builder("tls", "tester")
                .remoteUser("certuser")
                .authType(AuthType.CERTIFICATE)
                .clientCertificate(directory.resolve("client.crt").toString())
                .clientKey(directory.resolve("client.key").toString());
        ServerDefinition.Builder server = server(SslMode.VERIFY_FULL).sslCaCert(authority.certificate.toString());
        try (AdapterSession session = connect(server, certified)) {
            assertThat(session.query("SELECT current_user").single()).isEqualTo("certuser");
        }
        AdapterContract.fails(RemoteErrorCode.INVALID_OPTION, () -> connect(server(SslMode.PREFER), certified));
    }
}
