package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.SettingException;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.flightsql.server.FlightSqlServer;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.util.SelfSignedCertificate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

/** TLS, client certificates, and credentials that change. */
class SecurityTest {
    private static final String SECRET = "s3cr3t-token";

    @Test
    void connectionsAreEncryptedAndBothSidesShowACertificate() throws Exception {
        SelfSignedCertificate ofServer = new SelfSignedCertificate("localhost");
        SelfSignedCertificate ofClient = new SelfSignedCertificate("client");
        try (FlightSqlServer server = FlightSqlServer.builder()
                .tls(builder -> {
                    try {
                        return builder.sslContext(
                                GrpcSslContexts.forServer(ofServer.certificate(), ofServer.privateKey())
                                        .trustManager(ofClient.certificate())
                                        .clientAuth(ClientAuth.REQUIRE)
                                        .build());
                    } catch (SSLException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .start()) {
            PoolConfig.Tls mutual = new PoolConfig.Tls(
                    ofServer.certificate().toPath(),
                    ofClient.certificate().toPath(),
                    ofClient.privateKey().toPath(),
                    "localhost");
            try (TestPool pool = TestPool.of(server, config -> config.tls(mutual))) {
                assertThat(pool.number("SELECT 1")).isEqualTo(1);
            }
            PoolConfig.Tls oneSided = new PoolConfig.Tls(ofServer.certificate().toPath(), null, null, "localhost");
            try (TestPool pool =
                    TestPool.of(server, config -> config.tls(oneSided).acquireTimeout(Duration.ofMillis(500)))) {
                assertThatThrownBy(() -> pool.number("SELECT 1")).isInstanceOf(NoConnectionException.class);
            }
            try (TestPool pool = TestPool.of(server, config -> config.acquireTimeout(Duration.ofMillis(500)))) {
                assertThatThrownBy(() -> pool.number("SELECT 1")).isInstanceOf(NoConnectionException.class);
            }
        } finally {
            ofServer.delete();
            ofClient.delete();
        }
    }

    @Test
    void aCertificateThatCannotBeReadIsNamed() {
        PoolConfig config = PoolConfig.builder()
                .tls(new PoolConfig.Tls(Path.of("no-such-file.pem"), null, null, null))
                .build();
        assertThatThrownBy(() -> new FlightSqlPool("grpc+tls://localhost:1", config))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("no-such-file.pem")
                .hasMessageEndingWith("allowed: files with certificates and a key in PEM format");
    }

    @Test
    void aBearerTokenIsSentWithEveryCallAndCanBeRenewed() {
        AtomicReference<Credential> current = new AtomicReference<>(new Credential(null, SECRET));
        Credentials credentials = () -> CompletableFuture.completedFuture(current.get());
        try (FlightSqlServer server = FlightSqlServer.builder()
                        .authorization("Bearer " + SECRET)
                        .start();
                TestPool pool = TestPool.of(server, config -> config.credentials(credentials))) {
            assertThat(pool.number("SELECT 1")).isEqualTo(1);
            current.set(new Credential(null, "expired-token"));
            assertThatThrownBy(() -> pool.number("SELECT 1"))
                    .isInstanceOf(FlightSqlException.class)
                    .hasMessageNotContaining("expired-token");
            current.set(new Credential(null, SECRET));
            assertThat(pool.number("SELECT 1")).isEqualTo(1);
            assertThat(pool.metric("pool.conn.created")).isLessThanOrEqualTo(2);
        }
    }

    /** Notes what was refused, and fails then. */
    private static final class Source implements Credentials {
        final List<Credential> refused = new CopyOnWriteArrayList<>();
        volatile Credential current = new Credential(null, SECRET);

        @Override
        public CompletionStage<Credential> current() {
            return CompletableFuture.completedFuture(current);
        }

        @Override
        public void refused(Credential credential) {
            refused.add(credential);
            throw new IllegalStateException("of the application");
        }
    }

    @Test
    void theSourceLearnsOfARefusalDuringACallAndMayFail() {
        Source source = new Source();
        Credential expired = new Credential(null, "expired-token");
        try (FlightSqlServer server = FlightSqlServer.builder()
                        .authorization("Bearer " + SECRET)
                        .start();
                TestPool pool = TestPool.of(server, config -> config.credentials(source))) {
            assertThat(pool.number("SELECT 1")).isEqualTo(1);
            assertThat(source.refused).isEmpty();
            source.current = expired;
            assertThatThrownBy(() -> pool.number("SELECT 1")).isInstanceOf(FlightSqlException.class);
            assertThat(source.refused).containsExactly(expired);
        }
    }

    @Test
    void anOpenEndsAlthoughTheSourceFails() {
        AtomicInteger asked = new AtomicInteger();
        Credentials once = () -> {
            if (asked.incrementAndGet() > 2) {
                throw new IllegalStateException("of the application");
            }
            return CompletableFuture.completedFuture(new Credential("user", SECRET));
        };
        try (FlightSqlServer server = FlightSqlServer.builder()
                        .authorization("Basic b3RoZXI6czNjcjN0")
                        .start();
                TestPool pool = TestPool.of(server, config -> config.credentials(once))) {
            assertThatThrownBy(() -> pool.number("SELECT 1"))
                    .isInstanceOf(NoConnectionException.class)
                    .hasMessageContaining("wrong or missing authorization");
        }
    }

    @Test
    void aRefusedLoginFailsAtOnceAndShowsNoSecret() {
        Credentials wrong = () -> CompletableFuture.completedFuture(new Credential("user", SECRET));
        try (FlightSqlServer server = FlightSqlServer.builder()
                        .authorization("Basic b3RoZXI6czNjcjN0")
                        .start();
                TestPool pool = TestPool.of(server, config -> config.credentials(wrong))) {
            assertThatThrownBy(() -> pool.number("SELECT 1"))
                    .isInstanceOfSatisfying(
                            NoConnectionException.class,
                            e -> assertThat(e.why()).isEqualTo(NoConnectionException.Why.MISCONFIGURED))
                    .hasMessageContaining("wrong or missing authorization")
                    .hasMessageNotContaining(SECRET);
            assertThat(pool.pool.config().toString()).doesNotContain(SECRET);
        }
    }

    @Test
    void basicAuthenticationAndHeadersAreSent() {
        Credentials basic = () -> CompletableFuture.completedFuture(new Credential("user", "pass"));
        try (FlightSqlServer server = FlightSqlServer.builder()
                        .authorization("Basic dXNlcjpwYXNz")
                        .start();
                TestPool pool = TestPool.of(
                        server,
                        config -> config.credentials(basic)
                                .header("x-tenant", "a")
                                .cookies(true))) {
            assertThat(pool.number("SELECT 1")).isEqualTo(1);
        }
    }
}
