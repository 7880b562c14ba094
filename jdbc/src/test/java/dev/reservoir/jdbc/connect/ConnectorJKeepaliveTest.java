package dev.reservoir.jdbc.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.mysql.cj.protocol.StandardSocketFactory;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.jdbc.DeadPeerDetection;
import dev.reservoir.jdbc.TestMariaDb;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * MySQL Connector/J does not accept Reservoir's socket factory. Its sockets get the keepalive timing once they exist.
 */
class ConnectorJKeepaliveTest {
    private static final Map<String, Object> OURS =
            Map.of("TCP_KEEPIDLE", 5, "TCP_KEEPINTERVAL", 5, "TCP_KEEPCOUNT", 3);

    @BeforeAll
    static void needMariaDb() {
        TestMariaDb.assumeAvailable();
    }

    private static String url(String parameters) {
        return "jdbc:mysql://127.0.0.1:" + TestMariaDb.port() + "/test?" + parameters;
    }

    private static Connection connect(String parameters, DeadPeerDetection detection) throws SQLException {
        Config config = new Config();
        config.set(DataSourceSettings.URL, url(parameters));
        config.set(DataSourceSettings.DEAD_PEER_DETECTION, detection);
        return ConnectionSource.of(config).connect(new Credential("root", ""));
    }

    private static Map<String, Object> timing(Connection connection) throws IOException {
        Socket socket = ConnectorJSocket.of(connection);
        assertThat(socket).isNotNull();
        Map<String, Object> options = new TreeMap<>();
        for (SocketOption<?> option : socket.supportedOptions()) {
            if (option.name().startsWith("TCP_KEEP")) {
                options.put(option.name(), socket.getOption(option));
            }
        }
        assumeThat(options).as("what this system knows").isNotEmpty();
        return options;
    }

    @Test
    void aDeadPeerIsNoticedAfterAboutTwentySeconds() throws SQLException, IOException {
        try (Connection connection = connect("sslMode=DISABLED", DeadPeerDetection.FULL)) {
            assertThat(timing(connection)).isEqualTo(OURS);
        }
    }

    @Test
    void withTlsToo() throws SQLException, IOException {
        try (Connection connection = connect("sslMode=REQUIRED", DeadPeerDetection.KEEPALIVE)) {
            assertThat(ConnectorJSocket.of(connection)).isInstanceOf(SSLSocket.class);
            assertThat(timing(connection)).isEqualTo(OURS);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tcpKeepAlive=false",
                "socketFactory=dev.reservoir.jdbc.connect.ConnectorJKeepaliveTest$UsersSockets",
            })
    void theUsersOwnWordStands(String parameter) throws SQLException, IOException {
        try (Connection connection = connect("sslMode=DISABLED&" + parameter, DeadPeerDetection.FULL)) {
            assertThat(timing(connection)).isNotEqualTo(OURS);
        }
    }

    @Test
    void nothingIsTimedIfItIsOff() throws SQLException, IOException {
        try (Connection connection = connect("sslMode=DISABLED", DeadPeerDetection.OFF)) {
            assertThat(timing(connection)).isNotEqualTo(OURS);
        }
    }

    @Test
    void otherConnectionsHaveNoSuchSocket() throws SQLException {
        try (Connection ofAnotherDriver = TestMariaDb.open();
                Connection toSeveralHosts = DriverManager.getConnection(
                        url("sslMode=DISABLED").replace("jdbc:mysql:", "jdbc:mysql:loadbalance:"), "root", "")) {
            assertThat(ConnectorJSocket.of(ofAnotherDriver)).isNull();
            assertThat(ConnectorJSocket.of(toSeveralHosts)).isNull();
        }
    }

    /** A socket factory of the user. */
    public static final class UsersSockets extends StandardSocketFactory {}
}
