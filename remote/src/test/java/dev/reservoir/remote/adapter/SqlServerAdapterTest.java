package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.testserver.FakeTdsServer;
import dev.reservoir.remote.testserver.FakeTdsServer.Request;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The adapter for SQL Server, with Microsoft's driver and a server that only speaks the protocol. */
class SqlServerAdapterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final FakeTdsServer server = new FakeTdsServer();

    @AfterEach
    void stop() {
        server.close();
    }

    private AdapterSession connect(SslMode mode, String user) throws Exception {
        ServerDefinition definition = ServerDefinition.builder("sql", RemoteDatabaseType.MSSQL)
                .host("127.0.0.1")
                .port(server.port())
                .sslMode(mode)
                .build();
        UserMapping mapping = UserMapping.builder("sql", "tester")
                .remoteUser(user)
                .remotePassword(Secret.literal("a-password"))
                .build();
        return Adapters.installed().find(definition).connect(definition, mapping, PATIENCE);
    }

    @Test
    void itConnectsPingsAndQueries() throws Exception {
        try (AdapterSession session = connect(SslMode.DISABLE, "app")) {
            session.ping(PATIENCE);
            assertThat(session.query("SELECT 1").single()).isEqualTo(1);
            assertThat(session.state()).isEqualTo(ConnectionState.CONNECTED);
        }
    }

    @Test
    void aRefusedLoginIsAnAuthenticationError() {
        var error =
                AdapterContract.fails(RemoteErrorCode.AUTHENTICATION_FAILED, () -> connect(SslMode.DISABLE, "wrong"));
        assertThat(error.getErrorCode()).isEqualTo(18456);
        assertThat(error.isRetryable()).isFalse();
    }

    @Test
    void aServerWithoutTlsServesTheModePreferAndRefusesRequire() throws Exception {
        connect(SslMode.PREFER, "app").close();
        AdapterContract.fails(RemoteErrorCode.CONNECTION_FAILED, () -> connect(SslMode.REQUIRE, "app"));
    }

    @Test
    void aResetAsksTheServerToResetTheSession() throws Exception {
        try (AdapterSession session = connect(SslMode.DISABLE, "app")) {
            Connection connection = session.connection();
            session.query("SELECT 1");
            assertThat(server.requests).noneMatch(Request::resets);
            assertThat(session.reset()).isEqualTo(ResetResult.CLEAN);
            assertThat(server.requests).filteredOn(Request::resets).hasSize(1);
            assertThat(session.connection()).isSameAs(connection);
            assertThat(connection.isClosed()).isFalse();
            session.query("SELECT 1");
            assertThat(server.requests).filteredOn(Request::resets).hasSize(1);
        }
    }

    @Test
    void aTransactionIsRolledBackOnRelease() throws Exception {
        try (AdapterSession session = connect(SslMode.DISABLE, "app")) {
            session.begin();
            session.update("UPDATE t SET x = 1");
            assertThat(session.state()).isEqualTo(ConnectionState.IN_TRANSACTION);
            session.finish();
            assertThat(session.state()).isEqualTo(ConnectionState.CONNECTED);
            List<String> texts = server.requests.stream().map(Request::sql).toList();
            assertThat(texts).anyMatch(sql -> sql.contains("ROLLBACK"));
        }
    }

    @Test
    void aStatementThatTakesTooLongIsCancelled() throws Exception {
        try (AdapterSession session = connect(SslMode.DISABLE, "app")) {
            session.setQueryTimeout(Duration.ofMillis(200));
            AdapterContract.fails(RemoteErrorCode.TIMEOUT, () -> session.update("WAITFOR DELAY '00:01:00'"));
            session.setQueryTimeout(Duration.ofSeconds(5));
            assertThat(session.query("SELECT 1").single()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "102, RD010",
        "229, RD011",
        "208, RD012",
        "245, RD013",
        "1205, RD020",
        "3960, RD021",
        "2627, RD022",
        "1222, RD004",
        "40613, RD006",
        "3930, RD023"
    })
    void errorsHaveTheirCodes(int number, String code) throws Exception {
        try (AdapterSession session = connect(SslMode.DISABLE, "app")) {
            var error = AdapterContract.fails(RemoteErrorCode.of(code), () -> session.update("ERROR " + number));
            assertThat(error.getErrorCode()).isEqualTo(number);
            assertThat(session.state()).isEqualTo(ConnectionState.CONNECTED);
        }
    }

    @Test
    void aBrokenConnectionIsDead() throws Exception {
        try (AdapterSession session = connect(SslMode.DISABLE, "app")) {
            server.disconnectAll();
            AdapterContract.fails(RemoteErrorCode.NETWORK_ERROR, () -> session.query("SELECT 1"));
            assertThat(session.state()).isEqualTo(ConnectionState.FAILED);
        }
    }
}
