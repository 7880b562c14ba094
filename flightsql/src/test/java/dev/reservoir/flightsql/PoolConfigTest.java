package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.SettingException;
import dev.reservoir.flightsql.connect.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Settings: their defaults, and what is refused. */
class PoolConfigTest {

    @Test
    void theDefaultsAreThoseOfTheSpecification() {
        PoolConfig config = PoolConfig.defaults();
        assertThat(config.minIdle()).isEqualTo(1);
        assertThat(config.maxSize()).isBetween(4, 16);
        assertThat(config.acquireTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.idleTtl()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.healthcheckSql()).isEqualTo("SELECT 1");
        assertThat(config.defaultQueryTimeout()).isNull();
        assertThat(config.retryOnFailure()).isTrue();
    }

    @Test
    void aRefusedSettingIsNamedWithItsValueAndWhatIsAllowed() {
        assertRefused(config -> config.maxSize(0), "maxSize is 0; allowed: 1 to 10000");
        assertRefused(config -> config.maxSize(4).minIdle(5), "minIdle is 5; allowed: 0 to 4");
        assertRefused(config -> config.acquireTimeout(Duration.ZERO), "acquireTimeout is 0s; allowed: 1ms to 720h0m0s");
        assertRefused(config -> config.healthcheckSql(" "), "healthcheckSql is missing; allowed: a statement such as");
        assertRefused(config -> config.idleTtl(Duration.ofSeconds(-1)), "idleTtl is -1s; allowed: 0s to");
        assertRefused(config -> config.connectsPerMinute(0), "connectsPerMinute is 0; allowed: 1 to 1000000");
        assertRefused(config -> config.keepAlive(Duration.ofSeconds(1)), "keepAlive is 1s; allowed: 10s to 24h0m0s");
        assertThatThrownBy(() -> new PoolConfig.Tls(null, Path.of("cert.pem"), null, null))
                .hasMessage("tls.key is missing; allowed: certificate and key, or neither");
        assertThatThrownBy(() -> QueryOptions.defaults().withTimeout(Duration.ZERO))
                .hasMessage("timeout is 0s; allowed: 1ms to 720h0m0s");
    }

    private static void assertRefused(UnaryOperator<PoolConfig.Builder> settings, String message) {
        assertThatThrownBy(() -> settings.apply(PoolConfig.builder()).build())
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void headersAreNotShown() {
        PoolConfig config = PoolConfig.builder().header("x-key", "secret-value").build();
        assertThat(config.toString()).contains("x-key").doesNotContain("secret-value");
    }

    @Test
    void endpointsAreParsed() {
        assertThat(Endpoint.parse("grpc://localhost:4214")).isEqualTo(new Endpoint("localhost", 4214, false));
        assertThat(Endpoint.parse("grpc+tls://db.example:443/")).isEqualTo(new Endpoint("db.example", 443, true));
        for (String wrong :
                new String[] {"localhost:4214", "grpc://localhost", "ftp://a:1", "grpc://a:1/path", "a b"}) {
            assertThatThrownBy(() -> Endpoint.parse(wrong))
                    .as(wrong)
                    .isInstanceOf(SettingException.class)
                    .hasMessageStartingWith("endpoint is ")
                    .hasMessageContaining("allowed: grpc://host:port");
        }
        for (String secret : List.of(
                "grpc://user:password@localhost:1",
                "grpc://user:password@bad_host:1",
                "grpc:user:password@localhost:1",
                "grpc://localhost:1?token=password",
                "grpc://localhost:1#password")) {
            assertThatThrownBy(() -> Endpoint.parse(secret))
                    .isInstanceOf(SettingException.class)
                    .hasMessageStartingWith("endpoint is an address with a ")
                    .hasMessageNotContaining("password");
        }
    }
}
