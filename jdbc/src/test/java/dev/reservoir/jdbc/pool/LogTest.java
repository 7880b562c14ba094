package dev.reservoir.jdbc.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.jdbc.log.LogLimit;
import dev.reservoir.testkit.LogLines;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The lines that operators search for. */
class LogTest {
    private final FakeDatabase fake = new FakeDatabase();
    private final LogLines log = new LogLines();
    private final AtomicLong nanos = new AtomicLong();
    private final LogListener listener = new LogListener(
            "logged",
            () -> 50,
            Duration.ofSeconds(45)::toNanos,
            nanos::get,
            new EventDispatcher(Runnable::run, org.slf4j.LoggerFactory.getLogger(ReservoirDataSource.class)));

    @AfterEach
    void stopCatching() {
        log.close();
    }

    private ReservoirDataSourceBuilder builder() {
        return ReservoirDataSource.builder()
                .dataSource(fake)
                .name("logged")
                .maxOpen(2)
                .drainTimeout(Duration.ZERO);
    }

    @Test
    void aStartAndAnEndAreLogged() {
        try (ReservoirDataSource dataSource = builder().build()) {
            assertThat(dataSource.stats().open()).isEqualTo(2);
            await().until(() ->
                    !log.startingWith("INFO Reservoir initial fill complete").isEmpty());
        }

        assertThat(log.startingWith("INFO"))
                .hasSize(3)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .isEqualTo("INFO Reservoir refiller started  target_ready=2 low_watermark=2"
                                        + " base_lifetime=11m0s reservoir=logged"),
                        line -> assertThat(line)
                                .matches("INFO Reservoir initial fill complete  size=2 target=2 elapsed=[0-9.]+m?s"
                                        + " reservoir=logged"),
                        line -> assertThat(line).isEqualTo("INFO Reservoir refiller stopped  reservoir=logged"));
        assertThat(log.startingWith("DEBUG Reservoir refiller: created connection"))
                .hasSize(2)
                .first()
                .asString()
                .matches("DEBUG Reservoir refiller: created connection  reservoir_size=1 target=2"
                        + " elapsed=[0-9.]+m?s reservoir=logged");
        assertThat(log.startingWith("DEBUG Reservoir: discarding connection  reason=shutdown"))
                .hasSize(2);
        assertThat(log.startingWith("WARN")).isEmpty();
    }

    @Test
    void reservoirModeIsMentionedIfTheEnvironmentAskedForIt() {
        ReservoirDataSource.fromEnvironment(Map.of("RESERVOIR_ENABLED", "true", "RESERVOIR_STAGGERED_STARTUP", "0"))
                .dataSource(fake)
                .name("logged")
                .build()
                .close();

        assertThat(log.startingWith("INFO Reservoir mode enabled"))
                .containsExactly("INFO Reservoir mode enabled, registering reservoir driver  reservoir=logged");
    }

    @Test
    void anInitialFillThatTakesTooLongIsAWarning() {
        fake.refusal = new SQLException("down", "08001");
        try (ReservoirDataSource dataSource =
                builder().initialFillTimeout(Duration.ofMillis(10)).build()) {
            assertThat(dataSource.isRunning()).isTrue();
            await().until(() -> !log.startingWith("WARN Reservoir initial fill").isEmpty());
        }
        assertThat(log.startingWith("WARN Reservoir initial fill"))
                .containsExactly("WARN Reservoir initial fill timeout  current=0 target=2 reservoir=logged");
    }

    @Test
    void handingOutLogsNothing() throws SQLException {
        try (ReservoirDataSource dataSource = builder().build()) {
            await().until(() ->
                    !log.startingWith("INFO Reservoir initial fill complete").isEmpty());
            int before = log.lines().size();
            for (int i = 0; i < 100; i++) {
                dataSource.getConnection().close();
            }
            assertThat(log.lines()).hasSize(before);
        }
    }

    @Test
    void aCheckoutInVainIsAWarning() throws SQLException {
        try (ReservoirDataSource dataSource = builder()
                        .maxOpen(1)
                        .acquireTimeout(Duration.ofMillis(20))
                        .build();
                Connection taken = dataSource.getConnection()) {
            assertThat(taken.isClosed()).isFalse();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(dataSource::getConnection).isInstanceOf(SQLException.class);
            }
        }
        assertThat(log.startingWith("WARN Reservoir: a checkout got no connection"))
                .singleElement()
                .asString()
                .matches(".* waited=[0-9.]+m?s reservoir=logged");
        assertThat(log.startingWith("DEBUG Reservoir: empty"))
                .containsExactly("DEBUG Reservoir: empty, a checkout has to wait  reservoir=logged");
    }

    @Test
    void anEmptyReservoirAndAShortWaitAreNoWarnings() {
        for (int i = 0; i < 13; i++) {
            listener.empty();
            listener.waitEnded(LogListener.LONG_WAIT_NANOS - 1, true);
        }
        nanos.addAndGet(LogLimit.PAUSE_NANOS);
        listener.empty();

        assertThat(log.lines())
                .containsExactly(
                        "DEBUG Reservoir: empty, a checkout has to wait  reservoir=logged",
                        "DEBUG Reservoir: empty, a checkout has to wait  reservoir=logged suppressed_lines=12");
    }

    @Test
    void aLongWaitIsAWarningAlsoIfItWasServed() {
        listener.waitEnded(Duration.ofMillis(1_234).toNanos(), true);
        listener.waitEnded(Duration.ofSeconds(2).toNanos(), true);
        listener.waitEnded(Duration.ofMillis(3).toNanos(), false);
        nanos.addAndGet(LogLimit.PAUSE_NANOS);
        listener.waitEnded(LogListener.LONG_WAIT_NANOS, true);

        assertThat(log.lines())
                .containsExactly(
                        "WARN Reservoir: a checkout waited long  waited=1.234s reservoir=logged",
                        "WARN Reservoir: a checkout got no connection  waited=3ms reservoir=logged",
                        "WARN Reservoir: a checkout waited long  waited=1s reservoir=logged suppressed_lines=1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RATE_LIMIT | WARN | failed to create connection | rate_limit",
                "SERVER_RATE | WARN | failed to create connection | server_rate",
                "SERVER_FULL | WARN | failed to create connection | server_full",
                "LEASE_ACQUIRE | ERROR | lease acquire failed | lease_acquire",
                "TOKEN_PROVIDER | ERROR | token provider failed | token_provider",
                "CONNECT | ERROR | connection open failed | connect",
                "CONNECT_TIMEOUT | ERROR | connection open failed | connect_timeout",
                "AUTHENTICATION | ERROR | connection open failed | authentication",
                "UNKNOWN_HOST | ERROR | connection open failed | unknown_host",
                "UNKNOWN_DATABASE | ERROR | connection open failed | unknown_database"
            })
    void aFailedConnectIsLoggedByItsReason(OpenFailureReason reason, String level, String what, String label) {
        listener.openFailed(reason, new SQLException("it says \"no\"\nand more"), 3);

        assertThat(log.lines())
                .containsExactly(level + " Reservoir refiller: " + what
                        + "  error=\"it says 'no' and more\" attempt=3 reason=" + label
                        + " reservoir=logged");
    }

    @ParameterizedTest
    @EnumSource(
            value = DiscardReason.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "BAD",
                "VALIDATION_FAILED",
                "UNRESPONSIVE",
                "LOST",
                "INSUFFICIENT_REMAINING_LIFETIME",
                "EXPIRED_ON_CHECKOUT",
                "EXPIRED_ON_RETURN"
            })
    void aConnectionWhoseTimeHasComeIsDiscardedWithoutAWarning(DiscardReason reason) {
        listener.discarded(null, reason, Duration.ofSeconds(30).toNanos());

        assertThat(log.lines())
                .containsExactly("DEBUG Reservoir: discarding connection  reason=" + reason.label()
                        + " remaining=30s guard_window=45s reservoir=logged");
    }

    @ParameterizedTest
    @EnumSource(
            value = DiscardReason.class,
            names = {"INSUFFICIENT_REMAINING_LIFETIME", "EXPIRED_ON_CHECKOUT", "EXPIRED_ON_RETURN"})
    void oneWhoseTimeHasComeAtTheCheckoutOrReturnIsAWarningOnceInAWhile(DiscardReason reason) {
        for (int i = 0; i < 3; i++) {
            listener.discarded(null, reason, Duration.ofSeconds(30).toNanos());
        }
        nanos.addAndGet(LogLimit.PAUSE_NANOS);
        listener.discarded(null, reason, Duration.ofSeconds(-1).toNanos());

        assertThat(log.lines())
                .containsExactly(
                        "WARN Reservoir: discarding connection  reason=" + reason.label()
                                + " remaining=30s guard_window=45s reservoir=logged",
                        "WARN Reservoir: discarding connection  reason=" + reason.label()
                                + " remaining=-1s guard_window=45s reservoir=logged suppressed_lines=2");
    }

    @Test
    void whatABatchSentIsNotLogged() throws SQLException {
        String secret = "card 4111";
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .url(TestPostgres.url())
                .name("logged")
                .maxOpen(1)
                .build()) {
            try (Connection connection = dataSource.getConnection();
                    Statement preparation = connection.createStatement()) {
                preparation.execute("create function pg_temp.refuse(text) returns void language plpgsql as $$ begin"
                        + " raise exception 'the server is going' using errcode = '57P01'; end $$");
                try (PreparedStatement statement = connection.prepareStatement("select pg_temp.refuse(?)")) {
                    statement.setString(1, secret);
                    statement.addBatch();
                    assertThatThrownBy(statement::executeBatch)
                            .isInstanceOf(BatchUpdateException.class)
                            .as("what the test is about")
                            .hasMessageContaining(secret);
                }
            }
            await().until(() -> !log.startingWith("WARN Reservoir: discarding").isEmpty());
        }
        assertThat(log.startingWith("WARN Reservoir: discarding"))
                .singleElement()
                .asString()
                .contains("error=\"ERROR: the server is going");
        assertThat(log.lines()).noneMatch(line -> line.contains(secret));
    }

    @Test
    void aBatchErrorWithoutACauseIsLoggedByItsState() {
        listener.openFailed(OpenFailureReason.CONNECT, new BatchUpdateException("insert 4111", "08006", new int[0]), 1);

        assertThat(log.lines())
                .containsExactly("ERROR Reservoir refiller: connection open failed "
                        + " error=\"java.sql.BatchUpdateException, SQLState 08006\" attempt=1 reason=connect"
                        + " reservoir=logged");
    }

    @Test
    void aBrokenConnectionIsDiscardedWithAWarningThatSaysWhy() throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .url(TestPostgres.url())
                .name("logged")
                .maxOpen(1)
                .build()) {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThatThrownBy(() -> statement.execute("select pg_terminate_backend(pg_backend_pid())"))
                        .isInstanceOf(SQLException.class);
            }
            await().until(() -> !log.startingWith("WARN").isEmpty());
        }
        assertThat(log.startingWith("WARN"))
                .singleElement()
                .asString()
                .matches(
                        "WARN Reservoir: discarding connection  reason=bad remaining=(9|1[0-9])m[0-9.]+s guard_window=45s"
                                + " error=\"FATAL: terminating connection due to administrator command\" reservoir=logged");
    }

    @Test
    void aConnectionThatDidNotAnswerIsDiscardedWithAWarning() throws SQLException {
        try (ReservoirDataSource dataSource =
                builder().maxOpen(1).validation(Validation.CHECKOUT).build()) {
            fake.connections.get(0).valid = false;
            dataSource.getConnection().close();
            await().until(() -> !log.startingWith("WARN Reservoir: discarding").isEmpty());
        }
        assertThat(log.startingWith("WARN Reservoir: discarding"))
                .singleElement()
                .asString()
                .matches("WARN Reservoir: discarding connection  reason=validation_failed remaining=(9|1[0-9])m[0-9.]+s"
                        + " guard_window=45s error=\"no answer\" reservoir=logged");
    }

    @Test
    void failuresOfOneKindAreLoggedOnceInAWhileWithTheNumberSuppressed() {
        for (int i = 1; i <= 100; i++) {
            listener.openFailed(OpenFailureReason.CONNECT, new SQLException("refused"), i);
        }
        listener.openFailed(OpenFailureReason.AUTHENTICATION, new SQLException("password"), 1);
        nanos.addAndGet(LogLimit.PAUSE_NANOS);
        listener.openFailed(OpenFailureReason.CONNECT, new SQLException("refused"), 101);

        assertThat(log.lines())
                .containsExactly(
                        "ERROR Reservoir refiller: connection open failed  error=\"refused\" attempt=1 reason=connect"
                                + " reservoir=logged",
                        "ERROR Reservoir refiller: connection open failed  error=\"password\" attempt=1"
                                + " reason=authentication reservoir=logged",
                        "ERROR Reservoir refiller: connection open failed  error=\"refused\" attempt=101"
                                + " reason=connect reservoir=logged suppressed_lines=99");
    }

    @Test
    void theEndOfATroubleIsLogged() {
        listener.openFailed(OpenFailureReason.CONNECT, new SQLException("refused"), 1);
        listener.openFailed(OpenFailureReason.CONNECT, new SQLException("refused"), 2);
        listener.opened(null, 1_000_000);
        listener.opened(null, 1_000_000);

        assertThat(log.startingWith("INFO"))
                .containsExactly("INFO Reservoir refiller: connects succeed again  failures=2 reservoir=logged");
    }

    @Test
    void noSecretIsEverLogged() {
        FakeDatabase database = FakeDatabase.FakeDriver.database("discreet");
        String url = "jdbc:fake:discreet?password=in-the-url";
        database.refusal = new SQLException("wrong password hunter2 at " + url, "28P01");
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .url(url)
                .driverClassName(FakeDatabase.FakeDriver.class.getName())
                .username("app")
                .password("hunter2")
                .failFast(false)
                .initialFillTimeout(Duration.ofMillis(10))
                .acquireTimeout(Duration.ofMillis(10))
                .drainTimeout(Duration.ZERO)
                .build()) {
            await().until(() -> !log.startingWith("ERROR").isEmpty());
            assertThatThrownBy(dataSource::getConnection).satisfies(error -> {
                for (Throwable t = error; t != null; t = t.getCause()) {
                    assertThat(t.toString()).doesNotContain("hunter2", "in-the-url");
                }
            });
        }
        assertThat(log.lines()).isNotEmpty().noneMatch(line -> line.contains("hunter2") || line.contains("in-the-url"));
    }

    @Test
    void leasesThatAreRefusedAreLogged() {
        Leases leases = new Leases() {
            @Override
            public CompletionStage<Lease> acquire() {
                return CompletableFuture.failedFuture(new IllegalStateException("limit reached"));
            }

            @Override
            public CompletionStage<Void> release(Lease lease) {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public String describe() {
                return "leases 0 of 0";
            }
        };
        try (ReservoirDataSource dataSource =
                builder().leases(leases).initialFillTimeout(Duration.ZERO).build()) {
            assertThat(dataSource.isRunning()).isTrue();
            await().until(() -> !log.startingWith("ERROR").isEmpty());
        }
        assertThat(log.startingWith("ERROR"))
                .containsExactly("ERROR Reservoir refiller: lease acquire failed  error=\"limit reached\" attempt=1"
                        + " reason=lease_acquire reservoir=logged");
    }
}
