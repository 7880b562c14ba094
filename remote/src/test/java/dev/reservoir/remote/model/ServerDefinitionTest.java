package dev.reservoir.remote.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ServerDefinitionTest {

    private static ServerDefinition.Builder server() {
        return ServerDefinition.builder("legacy_pg", RemoteDatabaseType.POSTGRESQL);
    }

    @Test
    void portAndHealthQueryFollowFromTheType() throws RemoteException {
        ServerDefinition firebird =
                ServerDefinition.builder("fb", RemoteDatabaseType.FIREBIRD).build();
        assertThat(firebird.port()).isEqualTo(3050);
        assertThat(firebird.healthQuery()).isEqualTo("SELECT 1 FROM RDB$DATABASE");
        assertThat(firebird.toBuilder().port(4000).build().port()).isEqualTo(4000);
    }

    @Test
    void builderAndOptionsInSqlSayTheSame() throws RemoteException {
        PoolConfiguration pool = PoolConfiguration.builder()
                .minConnections(2)
                .maxConnections(20)
                .exhaustionPolicy(ExhaustionPolicy.FAIL_FAST)
                .build();
        ServerDefinition built = server().host("db.example.com").pool(pool).build();
        ServerDefinition read = server().option("host", "db.example.com")
                .option("min_connections", "2")
                .option("MAX_CONNECTIONS", "20")
                .option("exhaustion_policy", "fail_fast")
                .build();
        assertThat(read.options()).isEqualTo(built.options());
        assertThat(read.pool()).isEqualTo(pool);
        assertThat(read.connectsLike(built)).isTrue();
    }

    @Test
    void theMinimumMayNotExceedTheMaximum() {
        assertThatThrownBy(() -> server().option("min_connections", "11").build())
                .hasMessage("RD032: option min_connections is '11'; allowed: at most max_connections, which is 10");
        assertThatThrownBy(() -> PoolConfiguration.builder()
                        .maxConnections(3)
                        .warmupConnections(4)
                        .build())
                .hasMessageContaining("warmup_connections is '4'");
    }

    @Test
    void theModeOfTlsFollowsFromUseSsl() throws RemoteException {
        assertThat(server().build().sslMode()).isEqualTo(SslMode.PREFER);
        assertThat(server().useSsl(true).build().sslMode()).isEqualTo(SslMode.REQUIRE);
        assertThat(server().useSsl(false).build().sslMode()).isEqualTo(SslMode.DISABLE);
        assertThat(server().useSsl(true).sslMode(SslMode.VERIFY_FULL).build().sslMode())
                .isEqualTo(SslMode.VERIFY_FULL);
        assertThatThrownBy(() -> server().useSsl(true).sslMode(SslMode.DISABLE).build())
                .hasMessageContaining("use_ssl is 'true'");
        assertThatThrownBy(() -> server().useSsl(false).sslMode(SslMode.REQUIRE).build())
                .hasMessageContaining("use_ssl is 'false'");
    }

    @Test
    void onlyWhatAConnectNeedsMakesConnectionsStale() throws RemoteException {
        ServerDefinition before = server().host("a").build();
        assertThat(before.toBuilder()
                        .option("max_connections", "20")
                        .option("health_check_interval", "1000")
                        .build()
                        .connectsLike(before))
                .isTrue();
        assertThat(before.toBuilder().host("b").build().connectsLike(before)).isFalse();
        assertThat(before.toBuilder().sslMode(SslMode.REQUIRE).build().connectsLike(before))
                .isFalse();
        assertThat(before.toBuilder()
                        .driverOption("tcpKeepAlive", "true")
                        .build()
                        .connectsLike(before))
                .isFalse();
    }

    @Test
    void aMisspeltOptionIsAnsweredWithTheNearestOne() {
        assertThatThrownBy(() -> server().option("max_conections", "5"))
                .hasMessage("RD032: a server has no option max_conections; nearest: max_connections."
                        + " An option for the driver begins with driver.");
    }

    @Test
    void aSecretForTheDriverIsNotShown() throws RemoteException {
        ServerDefinition server =
                server().driverOption("sslpassword", "hunter2").build();
        assertThat(server.options()).containsEntry("driver.sslpassword", "hidden");
        assertThat(server.toString()).doesNotContain("hunter2");
        assertThat(server.driverProperties()).containsEntry("sslpassword", "hunter2");
        assertThatThrownBy(() -> server().option("driver.sslpassword", "hunter2"))
                .hasMessageContaining("'$NAME'")
                .hasMessageNotContaining("hunter2");
        ServerDefinition withVariable =
                server().option("driver.sslpassword", "$PATH").build();
        assertThat(withVariable.options()).containsEntry("driver.sslpassword", "$PATH");
        assertThat(withVariable.driverProperties()).containsEntry("sslpassword", System.getenv("PATH"));
    }

    @Test
    void aNameWithControlCharactersIsRefused() {
        assertThatThrownBy(() -> ServerDefinition.builder("a\nb", RemoteDatabaseType.MYSQL)
                        .build())
                .isInstanceOf(RemoteException.class);
        assertThatThrownBy(() ->
                        ServerDefinition.builder(" ", RemoteDatabaseType.MYSQL).build())
                .isInstanceOf(RemoteException.class);
    }
}
