package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.emulator.Limits;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.Validation;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Reservoir mode against an emulated cluster. */
class DsqlDataSourceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final TestCluster cluster = TestCluster.stub();

    private static ReservoirDataSource reservoir(DsqlDataSource dataSource) throws SQLException {
        return dataSource.unwrap(ReservoirDataSource.class);
    }

    private static long failures(DsqlDataSource dataSource, OpenFailureReason reason) throws SQLException {
        return reservoir(dataSource).stats().openFailures().getOrDefault(reason, 0L);
    }

    @Test
    void twoOfOneNameAreBothShownInJmx() throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName first = new ObjectName("dev.reservoir:type=DsqlDataSource,name=twice");
        ObjectName second = new ObjectName("dev.reservoir:type=DsqlDataSource,name=twice-2");
        try (DsqlDataSource one = cluster.builder().name("twice").build()) {
            try (DsqlDataSource other =
                    cluster.builder().name("twice").user("app").build()) {
                assertThat(beans.getAttribute(first, "User"))
                        .isEqualTo(one.tokens().user());
                assertThat(beans.getAttribute(second, "User")).isEqualTo("app");
                assertThat(other.mode()).isEqualTo(Mode.RESERVOIR);
            }
            assertThat(beans.isRegistered(second)).isFalse();
            assertThat(beans.isRegistered(first)).isTrue();
        }
        assertThat(beans.isRegistered(first)).isFalse();
    }

    @Test
    void anEndpointIsEnoughToConnect() throws Exception {
        long acceptedBefore = cluster.counters().accepted();
        ObjectName bean = new ObjectName("dev.reservoir:type=DsqlDataSource,name=enough");
        DsqlDataSource closed;
        try (DsqlDataSource dataSource = cluster.builder().name("enough").build()) {
            closed = dataSource;
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThat(statement.execute("select 1")).isTrue();
            }
            assertThat(dataSource.mode()).isEqualTo(Mode.RESERVOIR);
            assertThat(dataSource.endpoint()).isEqualTo(cluster.endpoint());
            assertThat(cluster.counters().accepted() - acceptedBefore).isEqualTo(4);
            assertThat(dataSource.tokens().stats().made())
                    .as("one token for all")
                    .isEqualTo(1);
            assertThat(dataSource.metrics())
                    .containsEntry("dsql_reservoir_size", 4.0)
                    .containsEntry("dsql_reservoir_open", 4.0)
                    .containsEntry("dsql_reservoir_target", 4.0)
                    .containsEntry("dsql_reservoir_refills_total", 4.0)
                    .containsEntry("dsql_reservoir_checkouts_total", 1.0)
                    .containsEntry("dsql_reservoir_empty_total", 0.0)
                    .containsEntry("dsql_reservoir_discards_total{reason=\"bad\"}", 0.0)
                    .containsEntry("dsql_reservoir_refill_failures_total{reason=\"server_rate\"}", 0.0)
                    .containsEntry("dsql_token_made_total", 1.0)
                    .doesNotContainKey("dsql_pool_open");
            assertThat(ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Mode"))
                    .isEqualTo("RESERVOIR");
            assertThat(ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Metrics"))
                    .isNotNull();
            assertThat(dataSource).hasToString("DsqlDataSource[enough, " + cluster.endpoint() + "]");
            assertThatThrownBy(() -> dataSource.getConnection("a", "b"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
        }
        assertThat(closed.isClosed()).isTrue();
        assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(bean))
                .isFalse();
        await().atMost(PATIENCE)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .noneMatch(name -> name.startsWith("dsql-token") || name.startsWith("reservoir-enough")));
    }

    @Test
    void itsSizeIsTheNumberOfConnectionsThatAreReady() throws SQLException {
        try (DsqlDataSource dataSource = cluster.builder().build();
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.isClosed()).isFalse();
            assertThat(dataSource.metrics())
                    .containsEntry("dsql_reservoir_size", 3.0)
                    .containsEntry("dsql_reservoir_in_use", 1.0)
                    .containsEntry("dsql_reservoir_open", 4.0)
                    .containsEntry("dsql_reservoir_target", 4.0);
        }
    }

    @Test
    void withoutBeingToldItHasAHundredConnectionsAndValidatesInTheBackground() throws SQLException {
        try (DsqlDataSource dataSource = cluster.builderWithDefaults().build()) {
            assertThat(reservoir(dataSource).getMaxOpen()).isEqualTo(100);
            assertThat(reservoir(dataSource).getTargetReady()).isEqualTo(100);
            assertThat(reservoir(dataSource).getValidation()).isEqualTo(Validation.BACKGROUND);
        }
    }

    @Test
    void howItValidatesCanBeChosen() throws SQLException {
        try (DsqlDataSource byVariable = cluster.environment(
                                Map.of("DSQL_RESERVOIR_ENABLED", "true", "DSQL_RESERVOIR_VALIDATION", "idle"))
                        .maxOpen(1)
                        .build();
                DsqlDataSource byCode = cluster.builder()
                        .reservoir(b -> b.validation(Validation.CHECKOUT))
                        .build()) {
            assertThat(reservoir(byVariable).getValidation()).isEqualTo(Validation.IDLE);
            assertThat(reservoir(byCode).getValidation()).isEqualTo(Validation.CHECKOUT);
        }
    }

    @Test
    void aReservoirThatTheProgramChoosesIsOneWhateverTheEnvironmentSays() throws SQLException {
        try (DsqlDataSource dataSource = cluster.environment(Map.of("DSQL_RESERVOIR_TARGET_READY", "3"))
                .mode(Mode.RESERVOIR)
                .build()) {
            assertThat(dataSource.metrics()).containsEntry("dsql_reservoir_size", 3.0);
        }
    }

    @Test
    void everySettingOfTheReservoirHasAVariable() throws SQLException {
        try (DsqlDataSource dataSource = cluster.environment(Map.of(
                        "DSQL_RESERVOIR_ENABLED", "true",
                        "DSQL_RESERVOIR_NAME", "by-variables",
                        "DSQL_RESERVOIR_MAX_OPEN", "6",
                        "DSQL_RESERVOIR_TARGET_READY", "2",
                        "DSQL_RESERVOIR_ACQUIRE_TIMEOUT", "3s",
                        "DSQL_RESERVOIR_INITIAL_FILL_TIMEOUT", "45s"))
                .build()) {
            assertThat(dataSource.name()).isEqualTo("by-variables");
            assertThat(reservoir(dataSource).getMaxOpen()).isEqualTo(6);
            assertThat(reservoir(dataSource).getTargetReady()).isEqualTo(2);
            assertThat(reservoir(dataSource).getAcquireTimeout()).isEqualTo("3s");
            assertThat(reservoir(dataSource).getInitialFillTimeout()).isEqualTo("45s");
        }
    }

    @Test
    void aRoleConnectsWithATokenOfItsOwn() throws SQLException {
        try (DsqlDataSource dataSource = cluster.builder().user("app").build()) {
            dataSource.getConnection().close();
            assertThat(dataSource.tokens().user()).isEqualTo("app");
        }
    }

    @Test
    void theHostTellsTheRegionAndIsTheOneThatTheCertificateTheTokenAndTheFirstPacketName() throws SQLException {
        String host = "abcdefghij0123456789klmnop.dsql.eu-west-1.on.aws";
        try (TestCluster named = TestCluster.named(host);
                DsqlDataSource dataSource = DsqlDataSource.builder()
                        .endpoint(host + ":" + named.port())
                        .driverProperty("socketFactory", LoopbackSockets.class.getName())
                        .driverProperty("sslrootcert", named.caCertificate())
                        .credentialsProvider(TestCluster.GOOD)
                        .maxOpen(1)
                        .build()) {
            dataSource.getConnection().close();
            assertThat(dataSource.endpoint()).isEqualTo(host);
        }
    }

    @Test
    void aUrlOfAwsIsTaken() throws SQLException {
        try (DsqlDataSource dataSource = DsqlDataSource.builder()
                .url("jdbc:aws-dsql:postgresql://" + cluster.endpoint() + ":" + cluster.port()
                        + "/postgres?user=app&region=us-east-1&token-duration-secs=60&sslrootcert="
                        + cluster.caCertificate())
                .credentialsProvider(TestCluster.GOOD)
                .maxOpen(1)
                .build()) {
            dataSource.getConnection().close();
            assertThat(dataSource.tokens().user()).isEqualTo("app");
            assertThat(dataSource.metrics().get("dsql_token_remaining_seconds")).isBetween(1.0, 60.0);
        }
    }

    @Test
    void aServerThatNobodyVouchesForIsNotTalkedTo() throws SQLException {
        long acceptedBefore = cluster.counters().accepted();
        try (DsqlDataSource dataSource = DsqlDataSource.builder()
                .endpoint(cluster.endpoint() + ":" + cluster.port())
                .region("us-east-1")
                .credentialsProvider(TestCluster.GOOD)
                .maxOpen(1)
                .reservoir(b -> b.initialFillTimeout(Duration.ZERO).acquireTimeout(Duration.ofMillis(500)))
                .build()) {
            assertThatThrownBy(dataSource::getConnection).hasMessageContaining("connects to the database fail: ");
            assertThat(cluster.counters().accepted()).isEqualTo(acceptedBefore);
        }
    }

    @Test
    void aTokenThatIsRefusedIsReplacedOnceAndTheReservoirFillsByItself() throws Exception {
        cluster.faults().refuseTokens(true);
        try (DsqlDataSource dataSource = cluster.builder()
                .reservoir(
                        b -> b.failFast(false).initialFillTimeout(Duration.ZERO).acquireTimeout(Duration.ofMillis(200)))
                .build()) {
            await().atMost(PATIENCE).until(() -> failures(dataSource, OpenFailureReason.AUTHENTICATION) >= 3);
            assertThatThrownBy(dataSource::getConnection).hasMessageContaining("the database refuses the login: ");
            assertThat(dataSource.tokens().stats().forced()).isEqualTo(1);
            await().atMost(PATIENCE).until(() -> dataSource.tokens().stats().made() == 2);
            cluster.faults().refuseTokens(false);
            assertThat(reservoir(dataSource).awaitReady(4, PATIENCE)).isTrue();
            assertThat(dataSource.tokens().stats().made()).isEqualTo(2);
        }
    }

    @Test
    void credentialsThatAreNotTheClustersAreRefused() throws Exception {
        try (DsqlDataSource dataSource = cluster.builder()
                .credentialsProvider(TestCluster.BAD)
                .reservoir(b -> b.failFast(false).initialFillTimeout(Duration.ZERO))
                .build()) {
            await().atMost(PATIENCE).until(() -> failures(dataSource, OpenFailureReason.AUTHENTICATION) >= 1);
            assertThat(reservoir(dataSource).stats().open()).isZero();
        }
    }

    @Test
    void whileCredentialsFailReadyConnectionsServeAndTheRestComesBack() throws Exception {
        AtomicBoolean failing = new AtomicBoolean();
        AwsCredentialsProvider moody = () -> {
            if (failing.get()) {
                throw new IllegalStateException("the role is gone");
            }
            return TestCluster.GOOD.resolveCredentials();
        };
        try (DsqlDataSource dataSource = cluster.builder()
                .credentialsProvider(moody)
                .tokenDuration(Duration.ofSeconds(2))
                .build()) {
            failing.set(true);
            await().atMost(PATIENCE).until(() -> dataSource.tokens().stats().failures() >= 2);
            try (Connection connection = dataSource.getConnection()) {
                reservoir(dataSource).evict(connection);
            }
            await().atMost(PATIENCE).until(() -> failures(dataSource, OpenFailureReason.TOKEN_PROVIDER) >= 1);
            assertThat(reservoir(dataSource).stats().ready()).isEqualTo(3);
            for (int i = 0; i < 20; i++) {
                dataSource.getConnection().close();
            }
            assertThat(dataSource.metrics().get("dsql_reservoir_refill_failures_total{reason=\"token_provider\"}"))
                    .isPositive();
            failing.set(false);
            assertThat(reservoir(dataSource).awaitReady(4, PATIENCE)).isTrue();
        }
    }

    @Test
    void aServerThatSaysTooFastSlowsTheOpenersAndCostsNoConnection() throws Exception {
        try (DsqlDataSource dataSource = cluster.builder()
                .maxOpen(3)
                .reservoir(b -> b.acquireTimeout(Duration.ofMillis(500)).successorAllowance(0))
                .build()) {
            cluster.limits(Limits.dsql().withRatePerSecond(0.001).withBurst(1));
            await().atMost(PATIENCE).until(() -> {
                reservoir(dataSource).setMaxOpen(20);
                return failures(dataSource, OpenFailureReason.SERVER_RATE) >= 2;
            });
            List<Connection> inUse = new ArrayList<>();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 20; i++) {
                            inUse.add(dataSource.getConnection());
                        }
                    })
                    .hasMessageContaining("Limit reached: the database's limit on new connections: ");
            assertThat(inUse).hasSizeGreaterThanOrEqualTo(3);
            for (Connection connection : inUse) {
                connection.close();
            }
            assertThat(reservoir(dataSource).stats().discards().getOrDefault(DiscardReason.BAD, 0L))
                    .isZero();
            assertThat(dataSource.metrics().get("dsql_reservoir_refill_failures_total{reason=\"server_rate\"}"))
                    .isPositive();
            cluster.limits(Limits.dsql());
            assertThat(reservoir(dataSource).awaitReady(20, PATIENCE)).isTrue();
        }
    }

    @Test
    void aServerThatIsFullSlowsTheOpenersAndCostsNoConnection() throws Exception {
        try (DsqlDataSource dataSource = cluster.builder()
                .maxOpen(2)
                .reservoir(b -> b.successorAllowance(0))
                .build()) {
            cluster.limits(Limits.dsql().withMaxOpen(2));
            reservoir(dataSource).setMaxOpen(6);
            await().atMost(PATIENCE).until(() -> failures(dataSource, OpenFailureReason.SERVER_FULL) >= 2);
            assertThat(reservoir(dataSource).stats().open()).isEqualTo(2);
            assertThat(reservoir(dataSource).stats().discards()).isEmpty();
            cluster.limits(Limits.dsql());
            assertThat(reservoir(dataSource).awaitReady(6, PATIENCE)).isTrue();
        }
    }

    @Test
    void lifetimesThatCouldMeetTheCutAreRefused() {
        assertThatThrownBy(() -> cluster.builder()
                        .reservoir(b -> b.baseLifetime(Duration.ofMinutes(60)))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("baseLifetime is 1h0m0s with a lifetimeJitter of 2m0s");
        assertThatThrownBy(() -> cluster.environment(
                                Map.of("DSQL_RESERVOIR_ENABLED", "true", "DSQL_RESERVOIR_BASE_LIFETIME", "59m"))
                        .build())
                .hasMessageStartingWith("DSQL_RESERVOIR_BASE_LIFETIME is 59m0s");
    }

    @Test
    void theEnvironmentMakesAReservoirIfItSaysSo() throws Exception {
        try (DsqlDataSource dataSource = cluster.environment(Map.of(
                        "DSQL_RESERVOIR_ENABLED", "true",
                        "DSQL_RESERVOIR_TARGET_READY", "12",
                        "DSQL_TOKEN_DURATION", "30s",
                        "CLUSTER_USER", "app"))
                .name("by-environment")
                .build()) {
            assertThat(dataSource.mode()).isEqualTo(Mode.RESERVOIR);
            assertThat(reservoir(dataSource).awaitReady(12, PATIENCE)).isTrue();
            assertThat(dataSource.metrics())
                    .containsEntry("dsql_reservoir_target", 12.0)
                    .containsEntry("dsql_reservoir_size", 12.0)
                    .containsEntry("dsql_reservoir_open", 12.0)
                    .containsEntry("dsql_reservoir_max_open", 12.0);
            assertThat(dataSource.tokens().user()).isEqualTo("app");
        }
    }

    @Test
    void aRealDatabaseAnswersBehindIt() throws SQLException {
        try (TestCluster real = TestCluster.real();
                DsqlDataSource dataSource = real.builder().build();
                Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table orders (id int primary key, status text)");
            assertThat(statement.executeUpdate("insert into orders values (1, 'new')"))
                    .isEqualTo(1);
            connection.setAutoCommit(false);
            try (ResultSet orders = statement.executeQuery("select status from orders where id = 1")) {
                assertThat(orders.next()).isTrue();
                assertThat(orders.getString(1)).isEqualTo("new");
            }
            connection.commit();
            assertThat(connection.getMetaData().getUserName()).isNotEmpty();
        }
    }
}
