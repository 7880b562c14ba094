package dev.reservoir.remote.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ServerOptionsTest {

    @Test
    void theDefaultsAreThoseOfTheSpecification() {
        PoolConfiguration pool = PoolConfiguration.defaults();
        assertThat(pool.minConnections()).isEqualTo(1);
        assertThat(pool.maxConnections()).isEqualTo(10);
        assertThat(pool.connectTimeout()).hasMillis(5_000);
        assertThat(pool.queryTimeout()).hasMillis(30_000);
        assertThat(pool.acquireTimeout()).hasMillis(5_000);
        assertThat(pool.idleTimeout()).hasMillis(300_000);
        assertThat(pool.maxLifetime()).hasMillis(3_600_000);
        assertThat(pool.resetOnRelease()).isTrue();
        assertThat(pool.validateOnAcquire()).isFalse();
        assertThat(pool.validateOnRelease()).isFalse();
        assertThat(pool.validationInterval()).hasSeconds(30);
        assertThat(pool.warmupOnCreate()).isTrue();
        assertThat(pool.warmupConnections()).isEqualTo(1);
        assertThat(pool.exhaustionPolicy()).isEqualTo(ExhaustionPolicy.WAIT);
        assertThat(pool.fetchSize()).isEqualTo(1_000);
        assertThat(pool.collectStatistics()).isTrue();
        assertThat(pool.collectQueryStats()).isTrue();

        HealthCheckConfig health = HealthCheckConfig.defaults();
        assertThat(health.enabled()).isTrue();
        assertThat(health.type()).isEqualTo(HealthCheckType.PING);
        assertThat(health.timeout()).hasMillis(5_000);
        assertThat(health.interval()).hasMillis(30_000);
        assertThat(health.failureThreshold()).isEqualTo(3);
        assertThat(health.recoveryThreshold()).isEqualTo(2);
        assertThat(health.testQuery(RemoteDatabaseType.FIREBIRD)).isEqualTo("SELECT 1 FROM RDB$DATABASE");
        assertThat(health.testQuery(RemoteDatabaseType.MSSQL)).isEqualTo("SELECT 1");
    }

    @Test
    void everyKeyIsUsedOnceAndEveryOptionIsDocumented() {
        Set<String> keys = new HashSet<>();
        Stream.concat(ServerOptions.all().stream(), MappingOptions.all().stream())
                .forEach(option -> {
                    assertThat(keys.add(option.key())).as(option.key()).isTrue();
                    assertThat(option.alias() == null || keys.add(option.alias()))
                            .as("alias of %s", option)
                            .isTrue();
                    assertThat(option.doc()).as(option.key()).endsWith(".");
                    assertThat(option.allowed()).as(option.key()).isNotBlank();
                });
        assertThat(keys).hasSizeGreaterThan(40);
    }

    @Test
    void everyDefaultIsAllowedAndCanBeWrittenAsText() throws RemoteException {
        for (RemoteOption<?> option : ServerOptions.all()) {
            checkDefault(option);
        }
    }

    private static <T> void checkDefault(RemoteOption<T> option) throws RemoteException {
        T value = option.defaultValue();
        if (value != null) {
            assertThat(option.parse(option.format(value))).as(option.key()).isEqualTo(value);
        }
    }

    @Test
    void aRejectedValueIsNamedWithItsOptionAndWhatIsAllowed() {
        assertThatThrownBy(() -> ServerOptions.MAX_CONNECTIONS.parse("500"))
                .isInstanceOf(RemoteException.class)
                .hasMessage("RD032: option max_connections is '500'; allowed: 1 to 100")
                .extracting(error -> ((RemoteException) error).code())
                .isEqualTo(RemoteErrorCode.INVALID_OPTION);
        assertThatThrownBy(() -> ServerOptions.MAX_CONNECTIONS.parse("many"))
                .hasMessage("RD032: option max_connections is 'many'; allowed: 1 to 100");
        assertThatThrownBy(() -> ServerOptions.QUERY_TIMEOUT.parse("3600001"))
                .hasMessage("RD032: option query_timeout is '3600001'; allowed: 1 to 3600000 ms");
        assertThatThrownBy(() -> ServerOptions.SSL_MODE.parse("on"))
                .hasMessageContaining("allowed: disable, allow, prefer, require, verify-ca, verify-full");
        assertThatThrownBy(() -> ServerOptions.FETCH_SIZE.parse("100001")).hasMessageContaining("1 to 100000");
        assertThatThrownBy(() -> ServerOptions.HOST.parse("db/x?user=a")).hasMessageContaining("option host is");
    }

    @Test
    void aDurationMayHaveAUnit() throws RemoteException {
        assertThat(ServerOptions.IDLE_TIMEOUT.parse("10m")).isEqualTo(Duration.ofMinutes(10));
        assertThat(ServerOptions.IDLE_TIMEOUT.parse(" 1500 ")).isEqualTo(Duration.ofMillis(1_500));
        assertThat(ServerOptions.VALIDATION_INTERVAL.parse("30")).isEqualTo(Duration.ofSeconds(30));
        assertThatThrownBy(() -> ServerOptions.VALIDATION_INTERVAL.parse("250ms"))
                .isInstanceOf(RemoteException.class);
        assertThatThrownBy(() -> ServerOptions.IDLE_TIMEOUT.parse("-1")).isInstanceOf(RemoteException.class);
    }

    @Test
    void aKeyIsFoundByItsAliasAndInAnyCase() {
        assertThat(ServerOptions.named("DBNAME")).isSameAs(ServerOptions.DBNAME);
        assertThat(ServerOptions.named("database")).isSameAs(ServerOptions.DBNAME);
        assertThat(MappingOptions.named("user")).isSameAs(MappingOptions.REMOTE_USER);
        assertThat(ServerOptions.named("nothing")).isNull();
    }
}
