package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.dsql.connect.DriverResources;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.dsql.token.SharedTokens;
import dev.reservoir.dsql.token.TokenDuration;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** URLs of AWS's connector by way of the driver manager. */
class DsqlDriverTest {
    private static final String URL = "jdbc:aws-dsql:postgresql://abc.dsql.us-east-1.on.aws/postgres";

    private static final Map<String, String> CLUSTER_RATE = Map.of(
            "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true", "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", FakeBudgets.TABLE);
    private static final DriverResources RESOURCES = DriverResources.ofThisProcess();

    @BeforeEach
    void keys() {
        System.setProperty("aws.accessKeyId", TestCluster.KEY);
        System.setProperty("aws.secretAccessKey", TestCluster.SECRET);
    }

    private final List<DriverResources> made = new ArrayList<>(List.of(RESOURCES));

    private DriverResources resources(Map<String, String> variables, Time time) {
        DriverResources resources = new DriverResources(variables, () -> time);
        made.add(resources);
        return resources;
    }

    @AfterEach
    void nothingIsLeft() {
        made.forEach(DriverResources::closeAll);
        assertThat(made).allSatisfy(resources -> assertThat(resources.kept()).isZero());
        await().atMost(Duration.ofSeconds(30)).until(() -> !hasTimerThread());
    }

    private static boolean hasTimerThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("dsql-driver-timer"));
    }

    @AfterEach
    void noKeys() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @Test
    void aUrlIsEnoughForATool() throws SQLException {
        try (TestCluster cluster = TestCluster.stub()) {
            String url = "jdbc:aws-dsql:postgresql://" + cluster.endpoint() + ":" + cluster.port()
                    + "/postgres?region=us-east-1&sslrootcert=" + cluster.caCertificate();
            Properties info = new Properties();
            info.setProperty("user", "app");
            info.setProperty("password", "");
            info.setProperty("token-duration-secs", "60");
            try (Connection connection = DriverManager.getConnection(url, info);
                    Statement statement = connection.createStatement()) {
                assertThat(statement.execute("select 1")).isTrue();
                assertThat(hasTimerThread()).as("a thread for timers").isTrue();
            }
            assertThatThrownBy(() -> DriverManager.getConnection(url + "&token-duration-secs=0", info))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("token-duration-secs is 0.0 s; allowed");
        }
    }

    @Test
    void otherUrlsAreLeftToOthers() throws SQLException {
        DsqlDriver driver = new DsqlDriver(false, RESOURCES);
        assertThat(driver.acceptsURL(URL)).isTrue();
        assertThat(driver.acceptsURL("jdbc:postgresql://host/db")).isFalse();
        assertThat(driver.connect("jdbc:postgresql://host/db", new Properties()))
                .isNull();
        assertThat(driver.getPropertyInfo(URL, new Properties()))
                .extracting(info -> info.name)
                .containsExactly("user", "region", "profile", "token-duration-secs");
    }

    private static String url(TestCluster cluster) {
        return "jdbc:aws-dsql:postgresql://" + cluster.endpoint() + ":" + cluster.port()
                + "/postgres?region=us-east-1&sslrootcert=" + cluster.caCertificate();
    }

    private static Properties user(String name) {
        Properties info = new Properties();
        info.setProperty("user", name);
        return info;
    }

    private static void connect(DsqlDriver driver, TestCluster cluster, String user, int times) throws SQLException {
        for (int i = 0; i < times; i++) {
            try (Connection connection = driver.connect(url(cluster), user(user))) {
                assertThat(connection).isNotNull();
            }
        }
    }

    /** The tokens that the driver uses for this user, and data resources would. */
    private static SharedTokens tokens(TestCluster cluster, String user) {
        return SharedTokens.acquire(
                new ClusterLogin(
                        Endpoint.parse("endpoint", cluster.endpoint()), "us-east-1", "postgres", user, null, Map.of()),
                null,
                null,
                TokenDuration.DEFAULT);
    }

    @Test
    void everyConnectTakesAPermitAndAllUseOneToken() throws SQLException {
        VirtualTime time = new VirtualTime();
        DriverResources resources = resources(CLUSTER_RATE, time);
        DsqlDriver driver = new DsqlDriver(false, resources);
        try (TestCluster cluster = TestCluster.stub();
                SharedTokens ofApp = tokens(cluster, "app")) {
            connect(driver, cluster, "app", 5);
            assertThat(FakeBudgets.last.endpoint).isEqualTo(cluster.endpoint());
            assertThat(FakeBudgets.last.permitsGiven).hasValue(5);
            assertThat(ofApp.tokens().stats().made()).isEqualTo(1);

            connect(driver, cluster, "other", 1);
            assertThat(FakeBudgets.last.permitsGiven)
                    .as("one limit for all users of a cluster")
                    .hasValue(6);
            assertThat(ofApp.tokens().stats().made()).isEqualTo(1);
            assertThat(resources.kept()).as("two tokens and one limit").isEqualTo(3);
        }
    }

    @Test
    void connectsOfOneProcessKeepToItsRate() throws SQLException {
        Map<String, String> variables = Map.of("DSQL_CONNECTION_RATE_LIMIT", "2", "DSQL_CONNECTION_BURST_LIMIT", "2");
        try (TestCluster cluster = TestCluster.stub();
                SystemTime time = new SystemTime("driver-under-test")) {
            long begun = System.nanoTime();
            connect(new DsqlDriver(false, resources(variables, time)), cluster, "app", 4);
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("2 at once, then 2 a second")
                    .isGreaterThan(Duration.ofMillis(900));
        }
    }

    @Test
    void whatIsNotUsedForLongIsGivenUpAndMadeAgain() throws SQLException {
        VirtualTime time = new VirtualTime();
        DriverResources resources = resources(CLUSTER_RATE, time);
        try (TestCluster cluster = TestCluster.stub()) {
            DsqlDriver driver = new DsqlDriver(false, resources);
            connect(driver, cluster, "app", 1);
            FakeBudgets.Fake first = FakeBudgets.last;
            time.advance(DriverResources.IDLE_TIMEOUT.minusSeconds(1).toNanos());
            connect(driver, cluster, "app", 1);
            time.advance(DriverResources.IDLE_TIMEOUT.minusSeconds(1).toNanos());
            assertThat(resources.kept()).as("used meanwhile").isEqualTo(2);
            time.advance(2 * DriverResources.IDLE_TIMEOUT.toNanos());
            assertThat(resources.kept()).isZero();
            await().atMost(Duration.ofSeconds(60)).until(() -> first.closed);

            connect(driver, cluster, "app", 1);
            assertThat(FakeBudgets.last).isNotSameAs(first);
            assertThat(resources.kept()).isEqualTo(2);
            time.advance(2 * DriverResources.IDLE_TIMEOUT.toNanos());
        }
    }

    @Test
    void tokensOutliveAConnectAndEndWhenTheyAreNotUsedForLong() throws SQLException {
        VirtualTime time = new VirtualTime();
        try (TestCluster cluster = TestCluster.stub()) {
            DsqlDriver driver = new DsqlDriver(false, resources(Map.of(), time));
            connect(driver, cluster, "app", 1);
            DsqlTokens first = currentTokens(cluster, "app");
            connect(driver, cluster, "app", 1);
            assertThat(currentTokens(cluster, "app")).isSameAs(first);
            time.advance(2 * DriverResources.IDLE_TIMEOUT.toNanos());
            await().atMost(Duration.ofSeconds(60)).until(() -> currentTokens(cluster, "app") != first);
        }
    }

    private static DsqlTokens currentTokens(TestCluster cluster, String user) {
        try (SharedTokens held = tokens(cluster, user)) {
            return held.tokens();
        }
    }

    @Test
    void noMoreThanAHundredTokensAreKept() throws SQLException {
        VirtualTime time = new VirtualTime();
        DriverResources resources = resources(Map.of("DSQL_CONNECTION_BURST_LIMIT", "200"), time);
        try (TestCluster cluster = TestCluster.stub()) {
            DsqlDriver driver = new DsqlDriver(false, resources);
            for (int i = 0; i < 102; i++) {
                connect(driver, cluster, "user" + i, 1);
            }
            assertThat(resources.kept()).as("and one limit").isEqualTo(101);
            resources.closeAll();
        }
    }

    @Test
    void itStepsBackWhereAwssOwnIsThere() throws SQLException {
        DsqlDriver driver = new DsqlDriver(true, RESOURCES);
        assertThat(driver.acceptsURL(URL)).isFalse();
        assertThat(driver.connect(URL, new Properties())).isNull();
    }

    @Test
    void aHostThatTellsNoRegionNeedsOne() {
        assertThatThrownBy(() -> new DsqlDriver(false, RESOURCES).connect("jdbc:aws-dsql:postgresql://localhost", null))
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("region is missing, and the host localhost does not contain it");
    }
}
