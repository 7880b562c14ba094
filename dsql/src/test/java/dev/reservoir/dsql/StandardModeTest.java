package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.emulator.Limits;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.LogLines;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Standard mode: HikariCP on fresh tokens, inside the rate limit, warmed up and kept full. */
class StandardModeTest {
    private static final String VERSION_OF_HIKARI = versionOfHikari();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final TestCluster cluster = TestCluster.stub();

    private static HikariDataSource hikari(DsqlDataSource dataSource) throws SQLException {
        return dataSource.unwrap(HikariDataSource.class);
    }

    private static int open(DsqlDataSource dataSource) throws SQLException {
        return hikari(dataSource).getHikariPoolMXBean().getTotalConnections();
    }

    @Test
    void withoutBeingToldItHasAHundredConnections() {
        AtomicInteger size = new AtomicInteger();
        assertThatThrownBy(() -> DsqlDataSource.builder()
                        .endpoint("abc.dsql.us-east-1.on.aws")
                        .credentialsProvider(TestCluster.GOOD)
                        .mode(Mode.STANDARD)
                        .hikari(config -> {
                            size.set(config.getMaximumPoolSize());
                            throw new IllegalStateException("seen enough");
                        })
                        .build())
                .hasMessage("seen enough");
        assertThat(size).hasValue(100);
    }

    @Test
    void withoutTheVariableItIsAWarmHikari() throws SQLException {
        try (LogLines log = new LogLines();
                DsqlDataSource dataSource = cluster.environment(Map.of())
                        .maxOpen(5)
                        .name("standard")
                        .build()) {
            assertThat(dataSource.mode()).isEqualTo(Mode.STANDARD);
            assertThat(open(dataSource)).as("warm before it is handed out").isEqualTo(5);
            assertThat(dataSource.isWrapperFor(ReservoirDataSource.class)).isFalse();
            HikariDataSource hikari = hikari(dataSource);
            assertThat(hikari.getMaximumPoolSize()).isEqualTo(5);
            assertThat(hikari.getMinimumIdle()).isEqualTo(5);
            assertThat(hikari.getIdleTimeout()).isZero();
            assertThat(hikari.getMaxLifetime()).isEqualTo(TimeUnit.MINUTES.toMillis(55));
            // HikariCP fills itself from its start on, so some may be open before the first look.
            assertThat(String.join("\n", log.lines()))
                    .containsPattern("(?s)INFO DSQL pool keeper started  target_pool_size=5 tick_interval=1s"
                            + " max_conns_per_tick=1\n.*"
                            + "INFO DSQL connection pool configured  max_open_conns=5 current_open=[0-5]"
                            + " max_conn_lifetime=55m0s max_conn_idle_time=0s\n.*"
                            + "INFO Starting DSQL connection pool warmup\n.*"
                            + "INFO Starting DSQL pool warmup  current_connections=[0-5] target_connections=5"
                            + " connections_to_create=[0-5]\n.*"
                            + "INFO DSQL pool warmup complete  connections_created=[0-5] connections_failed=0"
                            + " final_open_connections=5");
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThat(statement.execute("select 1")).isTrue();
                assertThat(dataSource.metrics())
                        .containsEntry("dsql_pool_max_open", 5.0)
                        .containsEntry("dsql_pool_open", 5.0)
                        .containsEntry("dsql_pool_in_use", 1.0)
                        .containsEntry("dsql_pool_idle", 4.0)
                        .containsKeys("dsql_pool_wait_count", "dsql_pool_wait_duration")
                        .containsEntry("dsql_connects_total", 5.0)
                        .containsEntry("dsql_token_made_total", 1.0);
            }
            assertThat(dataSource.metrics().keySet()).noneMatch(name -> name.startsWith("dsql_reservoir_"));
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().startsWith("reservoir-"));
        }
        await().atMost(PATIENCE)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .noneMatch(name -> name.startsWith("dsql-token")
                                || name.startsWith("dsql-pool")
                                || name.startsWith("standard")));
    }

    @Test
    void oneVariableChangesTheMode() throws SQLException {
        for (String enabled : List.of("false", "true")) {
            try (DsqlDataSource dataSource = cluster.environment(Map.of("DSQL_RESERVOIR_ENABLED", enabled))
                    .maxOpen(2)
                    .build()) {
                dataSource.getConnection().close();
                assertThat(dataSource.mode()).isEqualTo(enabled.equals("true") ? Mode.RESERVOIR : Mode.STANDARD);
                assertThat(dataSource.isWrapperFor(HikariDataSource.class)).isEqualTo(enabled.equals("false"));
                assertThat(dataSource.isWrapperFor(ReservoirDataSource.class)).isEqualTo(enabled.equals("true"));
            }
        }
    }

    @Test
    void aClusterThatIsAwayDoesNotKeepItFromStarting() throws SQLException {
        cluster.faults().refuse(true);
        try (LogLines log = new LogLines();
                DsqlDataSource dataSource =
                        cluster.environment(Map.of()).maxOpen(1).build()) {
            assertThat(log.startingWith("INFO DSQL pool warmup complete  connections_created=0 connections_failed=1"))
                    .hasSize(1);
            assertThat(dataSource.metrics().get("dsql_connect_failures_total{reason=\"connect\"}"))
                    .isGreaterThanOrEqualTo(6);
            cluster.faults().clear();
            dataSource.getConnection().close();
        }
    }

    @Test
    void theWarmUpGetsPastARateThatTheServerDoesNotGive() throws SQLException {
        cluster.limits(Limits.dsql().withRatePerSecond(5).withBurst(1));
        try (LogLines log = new LogLines();
                DsqlDataSource dataSource =
                        cluster.environment(Map.of()).maxOpen(5).build()) {
            assertThat(open(dataSource)).isEqualTo(5);
            assertThat(log.startingWith("INFO DSQL pool warmup complete  connections_created=5 connections_failed=0"))
                    .hasSize(1);
        }
    }

    @Test
    void connectsWaitForPermits() throws SQLException {
        try (SystemTime time = new SystemTime("permits-under-test")) {
            LocalPermits permits = new LocalPermits(2, 2, time);
            long begun = System.nanoTime();
            try (DsqlDataSource dataSource = cluster.builder()
                    .mode(Mode.STANDARD)
                    .permits(permits)
                    .maxOpen(4)
                    .build()) {
                assertThat(open(dataSource)).isEqualTo(4);
                assertThat(Duration.ofNanos(System.nanoTime() - begun))
                        .as("2 at once, then 2 a second")
                        .isGreaterThan(Duration.ofMillis(900));
            }
        }
    }

    @Test
    void aRefusedTokenIsReplacedAndTheWarmUpGoesOn() throws SQLException {
        cluster.faults().refuseTokens(true);
        try (LogLines log = new LogLines()) {
            Thread later = new Thread(() -> {
                await().atMost(PATIENCE)
                        .until(() ->
                                !log.startingWith("WARN DSQL token refused").isEmpty());
                cluster.faults().refuseTokens(false);
            });
            later.start();
            try (DsqlDataSource dataSource =
                    cluster.environment(Map.of()).maxOpen(1).build()) {
                assertThat(open(dataSource)).isEqualTo(1);
                assertThat(dataSource.tokens().stats().forced()).isEqualTo(1);
                assertThat(dataSource.metrics().get("dsql_connect_failures_total{reason=\"authentication\"}"))
                        .isPositive();
            }
        }
    }

    @Test
    void whatDropsIsReplaced() throws SQLException {
        try (DsqlDataSource dataSource =
                cluster.environment(Map.of()).maxOpen(3).build()) {
            hikari(dataSource).getHikariPoolMXBean().softEvictConnections();
            await().atMost(PATIENCE).until(() -> dataSource.metrics().get("dsql_connects_total") >= 6);
            await().atMost(PATIENCE).until(() -> open(dataSource) == 3);
        }
    }

    @Test
    void aStatementThatIsRefusedCostsNoConnection() throws SQLException {
        try (TestCluster real = TestCluster.real();
                DsqlDataSource dataSource =
                        real.environment(Map.of()).maxOpen(1).build()) {
            for (int i = 0; i < 3; i++) {
                try (Connection connection = dataSource.getConnection();
                        Statement statement = connection.createStatement()) {
                    assertThatThrownBy(() -> statement.execute("create temporary table t (i int)"))
                            .isInstanceOfSatisfying(
                                    SQLException.class,
                                    e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
                }
            }
            assertThat(dataSource.metrics()).containsEntry("dsql_connects_total", 1.0);
        }
    }

    @Test
    void lifetimesThatCouldMeetTheCutAreRefused() {
        assertThatThrownBy(() -> cluster.environment(Map.of())
                        .hikari(config -> config.setMaxLifetime(TimeUnit.MINUTES.toMillis(56)))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("maxLifetime is 3360000 ms; allowed: 30000 to 3300000 ms");
        assertThatThrownBy(() -> cluster.environment(Map.of())
                        .hikari(config -> config.setMaxLifetime(0))
                        .build())
                .hasMessageStartingWith("maxLifetime is 0 ms; allowed");
        assertThatThrownBy(() -> cluster.environment(Map.of())
                        .hikari(config -> config.setMaxLifetime(29_999))
                        .build())
                .as("HikariCP would make it half an hour")
                .hasMessageStartingWith("maxLifetime is 29999 ms; allowed");
    }

    @Test
    void aClusterBudgetNeedsItsModule() {
        assertThatThrownBy(() -> cluster.environment(Map.of("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true"))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED is true; allowed: only with reservoir-dynamodb");
        assertThatThrownBy(() -> cluster.builder()
                        .mode(Mode.STANDARD)
                        .leases(new NoLeases())
                        .build())
                .hasMessage("leases are given in standard mode; allowed: only in reservoir mode");
    }

    /** In a process of its own, which writes down every class that it loads. */
    @Test
    void noClassOfTheReservoirIsLoaded(@TempDir Path home) throws IOException, InterruptedException {
        Path loaded = home.resolve("loaded.txt");
        String classPath = System.getProperty("java.class.path");
        Run run = run(home, "false", classPath, "-Xlog:class+load:file=" + loaded);
        assertThat(run.exitValue).as(run.output).isZero();
        List<String> ours = Files.readAllLines(loaded).stream()
                .filter(line -> line.contains(" dev.reservoir."))
                .toList();
        assertThat(ours).anyMatch(line -> line.contains(" dev.reservoir.dsql.standard.StandardPool "));
        assertThat(ours)
                .noneMatch(line -> line.contains(" dev.reservoir.jdbc."))
                .noneMatch(line -> line.contains(" dev.reservoir.core.internal."))
                .noneMatch(line -> line.contains(" dev.reservoir.core.Reservoir"));
    }

    @Test
    void withoutHikariThereIsReservoirModeOnly(@TempDir Path home) throws IOException, InterruptedException {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("HikariCP"))
                .collect(Collectors.joining(File.pathSeparator));
        Run reservoir = run(home, "true", classPath, "-Xshare:auto");
        assertThat(reservoir.exitValue).as(reservoir.output).isZero();
        Run standard = run(home, "false", classPath, "-Xshare:auto");
        assertThat(standard.exitValue).isNotZero();
        assertThat(standard.output)
                .contains(
                        "mode is STANDARD, by the builder or because DSQL_RESERVOIR_ENABLED is not true; allowed: only with"
                                + " com.zaxxer:HikariCP:" + VERSION_OF_HIKARI
                                + " on the class path. Add that dependency, or set"
                                + " DSQL_RESERVOIR_ENABLED=true");
    }

    /** Nobody has to add it for standard mode, which is what the environment gets unless it says otherwise. */
    @Test
    void hikariComesWithTheModule() throws IOException {
        Matcher dependency = Pattern.compile("<artifactId>HikariCP</artifactId>(.*?)</dependency>", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("pom.xml")));
        assertThat(dependency.find()).isTrue();
        assertThat(dependency.group(1))
                .as("neither optional nor of another scope")
                .isBlank();
    }

    @Test
    void theSizeCanComeFromTheEnvironment() throws SQLException {
        try (DsqlDataSource dataSource = cluster.environment(
                        Map.of("DSQL_RESERVOIR_MAX_OPEN", "3", "DSQL_RESERVOIR_NAME", "named-outside"))
                .build()) {
            assertThat(dataSource.mode()).isEqualTo(Mode.STANDARD);
            assertThat(dataSource.name()).isEqualTo("named-outside");
            assertThat(open(dataSource)).isEqualTo(3);
        }
    }

    /** As its jar's file is named. */
    private static String versionOfHikari() {
        String jar = HikariDataSource.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        return jar.replaceFirst(".*/HikariCP-", "").replaceFirst("\\.jar$", "");
    }

    private static Run run(Path home, String enabled, String classPath, String option)
            throws IOException, InterruptedException {
        Path output = home.resolve("out.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        option,
                        "-cp",
                        classPath,
                        ModeProgram.class.getName(),
                        cluster.endpoint() + ":" + cluster.port(),
                        cluster.caCertificate(),
                        enabled)
                .redirectOutput(Redirect.to(output.toFile()))
                .redirectErrorStream(true)
                .start();
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return new Run(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
        }
    }

    private record Run(int exitValue, String output) {}
}
