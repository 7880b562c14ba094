package dev.reservoir.jdbc.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.jdbc.KeepaliveSocketFactory;
import dev.reservoir.jdbc.RecordingSocketFactory;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.error.ConnectErrors;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The properties that make a driver end a connect that gets no answer. */
class DriverTimeoutsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(1500);
    private static final Credential NOBODY = new Credential("nobody", "nothing");

    private static Map<String, String> told(String url, Properties given) throws SQLException {
        return DriverTimeouts.of(DriverManager.getDriver(url), url, given, TIMEOUT, false)
                .properties();
    }

    private static Map<String, String> told(String url) throws SQLException {
        return told(url, new Properties());
    }

    @Test
    void driversAreToldInTheirOwnUnitsRoundedUp() throws SQLException {
        assertThat(told("jdbc:postgresql://localhost/orders"))
                .containsOnly(Map.entry("connectTimeout", "2"), Map.entry("socketTimeout", "2"));
        assertThat(told("jdbc:mysql://localhost:3306/orders"))
                .containsOnly(Map.entry("connectTimeout", "1500"), Map.entry("socketTimeout", "1500"));
        assertThat(told("jdbc:mariadb://localhost/orders")).containsOnly(Map.entry("connectTimeout", "1500"));
        assertThat(told("jdbc:sqlserver://localhost;databaseName=orders")).containsOnly(Map.entry("loginTimeout", "2"));
    }

    @Test
    void timeOutsBeyondWhatDriversTakeAreCut() throws SQLException {
        String url = "jdbc:sqlserver://localhost";

        assertThat(DriverTimeouts.of(DriverManager.getDriver(url), url, new Properties(), Duration.ofDays(365), false)
                        .properties())
                .containsOnly(Map.entry("loginTimeout", "65535"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://localhost/orders?socketTimeout=300 | connectTimeout",
                "jdbc:postgresql://localhost/orders?connectTimeout=60 | socketTimeout",
                "jdbc:postgresql://localhost/orders?connectTimeout=0&socketTimeout=1 |",
                "jdbc:mysql://localhost/orders?socketTimeout=300000 | connectTimeout",
                "jdbc:mariadb://localhost/orders?connectTimeout=1 |",
                "jdbc:sqlserver://localhost;loginTimeout=60 |"
            })
    void whatTheUrlSetsStands(String url, String told) throws SQLException {
        assertThat(told(url).keySet()).containsExactlyElementsOf(told == null ? List.of() : List.of(told));
    }

    @Test
    void whatThePropertiesOfTheDriverSetStands() throws SQLException {
        Properties given = new Properties();
        given.setProperty("socketTimeout", "0");

        assertThat(told("jdbc:postgresql://localhost/orders", given)).containsOnlyKeys("connectTimeout");
        given.setProperty("connectTimeout", "10");
        assertThat(told("jdbc:postgresql://localhost/orders", given)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql://one,two/orders",
                "jdbc:mysql://(host=one)/orders",
                "jdbc:mysql:loadbalance://one,two/orders",
                "jdbc:mysql:replication://one,two/orders"
            })
    void aDriverThatMayOpenOtherSocketsLaterIsLeftAlone(String url) throws SQLException {
        assertThat(told(url)).isEmpty();
    }

    @Test
    void otherDriversAreLeftAlone() {
        Driver other = new FakeDatabase.FakeDriver();

        assertThat(DriverTimeouts.of(other, "jdbc:fake:x", new Properties(), TIMEOUT, false)
                        .properties())
                .isEmpty();
        assertThat(DriverTimeouts.of(other, "jdbc:postgresql:x", new Properties(), TIMEOUT, false)
                        .properties())
                .as("one that does not know the properties")
                .isEmpty();
    }

    @Test
    void aDriverThatCannotSayWhatItIsToldIsLeftAlone() {
        Driver broken = (Driver) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Driver.class}, (self, method, arguments) -> {
                    throw new SQLException("no");
                });

        assertThat(DriverTimeouts.of(broken, "jdbc:postgresql:x", new Properties(), TIMEOUT, false)
                        .properties())
                .isEmpty();
    }

    /** The kernel accepts connections for a server that never does. */
    private static ServerSocket silentServer() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    private static SQLException failure(String url, Duration timeout) {
        Config config = new Config();
        config.set(DataSourceSettings.URL, url);
        config.set(DataSourceSettings.CONNECT_TIMEOUT, timeout);
        ConnectionSource source = ConnectionSource.of(config);
        try (Connection connection = source.connect(NOBODY)) {
            throw new AssertionError(connection + " came from a silent server");
        } catch (SQLException e) {
            return e;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://127.0.0.1:PORT/orders",
                "jdbc:postgresql://127.0.0.1:PORT/orders?sslmode=disable",
                "jdbc:postgresql://127.0.0.1:PORT/orders?gssEncMode=prefer",
                "jdbc:mysql://127.0.0.1:PORT/orders",
                "jdbc:mariadb://127.0.0.1:PORT/orders",
                "jdbc:sqlserver://127.0.0.1:PORT;encrypt=false",
                "jdbc:sqlserver://127.0.0.1:PORT;encrypt=true;trustServerCertificate=true"
            })
    @Timeout(
            value = 25,
            threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // Shorter than the default timeout of any driver.
    void aConnectToAServerThatSaysNothingEnds(String url) throws IOException {
        try (ServerSocket server = silentServer()) {
            SQLException failure = failure(url.replace("PORT", "" + server.getLocalPort()), Duration.ofMillis(500));

            assertThat(ConnectErrors.reason(failure)).isEqualTo(OpenFailureReason.CONNECT_TIMEOUT);
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aShorterTimeOutOfTheUserEndsAConnectFirst() throws IOException {
        try (ServerSocket server = silentServer()) {
            String url = "jdbc:postgresql://127.0.0.1:" + server.getLocalPort() + "/orders?socketTimeout=1";

            assertThat(ConnectErrors.reason(failure(url, Duration.ofMinutes(10))))
                    .isEqualTo(OpenFailureReason.CONNECT_TIMEOUT);
        }
    }

    @ParameterizedTest
    @CsvSource({"prepareThreshold=5, 0", "socketTimeout=7, 7000", "socketTimeout=700, 700000"})
    void aConnectionHasTheNetworkTimeOutThatTheUserGaveItOrNone(String parameter, int millis) throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                        .url(TestPostgres.url(parameter))
                        .maxOpen(1)
                        .build();
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.getNetworkTimeout()).isEqualTo(millis);
        }
    }

    @Test
    void aNetworkTimeOutOfTheDriversPropertiesStays() throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                        .url(TestPostgres.url())
                        .driverProperty("socketTimeout", "7")
                        .maxOpen(1)
                        .build();
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.getNetworkTimeout()).isEqualTo(7000);
        }
    }

    @Test
    void theBoundIsLiftedWithoutAWordToTheServer() throws SQLException {
        String url = TestPostgres.url(RecordingSocketFactory.PARAMETER);
        Driver driver = DriverManager.getDriver(url);
        DriverTimeouts bound = DriverTimeouts.of(driver, url, new Properties(), TIMEOUT, false);
        Properties login = new Properties();
        login.putAll(bound.properties());
        try (Connection connection = driver.connect(url, login)) {
            assertThat(connection.getNetworkTimeout()).isEqualTo(2000);
            int before = RecordingSocketFactory.writes();

            bound.lift(connection);

            assertThat(connection.getNetworkTimeout()).isZero();
            assertThat(RecordingSocketFactory.writes()).isEqualTo(before);
        }
    }

    @Test
    void aConnectionWhoseBoundCannotBeLiftedIsClosed() throws SQLException {
        String url = "jdbc:postgresql://localhost/orders";
        List<String> calls = new ArrayList<>();
        Connection stubborn = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    calls.add(method.getName());
                    if (method.getName().equals("setNetworkTimeout")) {
                        throw new SQLException("the socket is closed", "08006");
                    }
                    return null;
                });
        DriverTimeouts bound = DriverTimeouts.of(DriverManager.getDriver(url), url, new Properties(), TIMEOUT, false);

        assertThatThrownBy(() -> bound.lift(stubborn)).hasMessage("the socket is closed");
        assertThat(calls).containsExactly("setNetworkTimeout", "close");
    }

    private static Map<String, String> keptAlive(String url, Properties given) throws SQLException {
        return DriverTimeouts.of(DriverManager.getDriver(url), url, given, TIMEOUT, true)
                .properties();
    }

    @Test
    void tcpAsksWhetherTheServerIsStillThere() throws SQLException {
        assertThat(keptAlive("jdbc:postgresql://localhost/orders", new Properties()))
                .containsEntry("tcpKeepAlive", "true")
                .containsEntry("socketFactory", KeepaliveSocketFactory.class.getName());
        assertThat(keptAlive("jdbc:mariadb://localhost/orders", new Properties()))
                .containsEntry("socketFactory", KeepaliveSocketFactory.class.getName())
                .containsEntry("tcpKeepIdle", "5")
                .containsEntry("tcpKeepInterval", "5")
                .containsEntry("tcpKeepCount", "3");
    }

    @Test
    void whoeverHasASocketFactoryOrAWordOnKeepaliveKeepsIt() throws SQLException {
        Properties given = new Properties();
        given.setProperty("tcpKeepAlive", "true");
        assertThat(keptAlive("jdbc:postgresql://localhost/orders", given)).containsKey("socketFactory");
        given.setProperty("tcpKeepAlive", "false");
        assertThat(keptAlive("jdbc:postgresql://localhost/orders", given)).doesNotContainKey("socketFactory");
        assertThat(keptAlive("jdbc:postgresql://localhost/orders?socketFactory=com.example.Sockets", new Properties()))
                .doesNotContainKeys("socketFactory", "tcpKeepAlive");
        assertThat(keptAlive("jdbc:mariadb://localhost/orders?tcpKeepIdle=60", new Properties()))
                .doesNotContainKeys("tcpKeepIdle", "tcpKeepInterval", "tcpKeepCount");
        assertThat(keptAlive("jdbc:mariadb://localhost/orders?socketFactory=com.example.Sockets", new Properties()))
                .doesNotContainKey("socketFactory")
                .containsEntry("tcpKeepIdle", "5");
    }
}
