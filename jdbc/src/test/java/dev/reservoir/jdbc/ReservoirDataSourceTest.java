package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.Targets;
import dev.reservoir.jdbc.pool.DataSourceRegistry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checkout, from the first connection to the end, on a real database where one is needed. */
class ReservoirDataSourceTest {
    private final FakeDatabase fake = new FakeDatabase();
    private final List<ReservoirDataSource> made = new ArrayList<>();

    private ReservoirDataSourceBuilder real() {
        return ReservoirDataSource.builder().url(TestPostgres.url()).maxOpen(2).drainTimeout(Duration.ofSeconds(1));
    }

    private ReservoirDataSourceBuilder faked() {
        return ReservoirDataSource.builder().dataSource(fake).maxOpen(2).drainTimeout(Duration.ofSeconds(1));
    }

    private ReservoirDataSource build(ReservoirDataSourceBuilder builder) {
        ReservoirDataSource dataSource = builder.build();
        made.add(dataSource);
        return dataSource;
    }

    @AfterEach
    void close() {
        made.forEach(ReservoirDataSource::close);
        for (ReservoirDataSource dataSource : made) {
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(LiveThreads.of(String.valueOf(dataSource.getName())))
                            .isEmpty());
        }
        assertThat(fake.openNow()).isZero();
    }

    private static int backend(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select pg_backend_pid()")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Test
    void aConnectionIsHandedOutAndComesBack() throws SQLException {
        ReservoirDataSource dataSource = build(real().maxOpen(1));
        int first;
        try (Connection connection = dataSource.getConnection()) {
            first = backend(connection);
            assertThat(dataSource.stats().inUse()).isEqualTo(1);
        }
        try (Connection connection = dataSource.getConnection()) {
            assertThat(backend(connection)).isEqualTo(first);
        }
        assertThat(dataSource.stats().opened()).isEqualTo(1);
        assertThat(dataSource.stats().checkouts()).isEqualTo(2);
    }

    @Test
    void buildWaitsForTheLowWatermark() {
        ReservoirDataSource dataSource = build(real().maxOpen(5).lowWatermark(4));

        assertThat(dataSource.stats().open()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void buildGoesOnAfterTheInitialFillTimeOut() {
        fake.refusal = new SQLException("down", "08001");

        ReservoirDataSource dataSource = build(faked().initialFillTimeout(Duration.ofMillis(20)));

        assertThat(dataSource.stats().open()).isZero();
    }

    @Test
    void buildNeedNotWait() {
        fake.hang = new CountDownLatch(1);

        ReservoirDataSource dataSource = build(faked().initialFillTimeout(Duration.ZERO));

        assertThat(dataSource.stats().open()).isZero();
        fake.hang.countDown();
    }

    @Test
    void anEmptyReservoirIsATransientError() throws SQLException {
        ReservoirDataSource dataSource = build(faked().name("empty").maxOpen(1).acquireTimeout(Duration.ofMillis(20)));
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.isClosed()).isFalse();
            SQLTransientConnectionException error =
                    catchThrowableOfType(SQLTransientConnectionException.class, dataSource::getConnection);

            assertThat((Throwable) error)
                    .hasMessageStartingWith(
                            "empty: no connection within 20 ms. Limit reached: maxOpen (1). In use 1 of 1")
                    .hasNoCause();
            assertThat(error.getSQLState()).isEqualTo("08001");
        }
    }

    @Test
    void whyConnectsFailIsTheCauseOfTheError() {
        SQLException refusal = new SQLException("the server is on fire", "08001");
        fake.refusal = refusal;
        ReservoirDataSource dataSource =
                build(faked().initialFillTimeout(Duration.ZERO).acquireTimeout(Duration.ofMillis(300)));

        assertThatThrownBy(dataSource::getConnection)
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasMessageContaining("connects to the database fail: ")
                .hasRootCause(refusal);
    }

    @Test
    void failingAtOnceCanBeChosen() throws SQLException {
        ReservoirDataSource dataSource = build(faked().maxOpen(1).exhaustion(Exhaustion.FAIL));
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.isClosed()).isFalse();
            assertThatThrownBy(dataSource::getConnection)
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .hasMessageContaining("no connection is ready.");
        }
    }

    @Test
    void aClosedDataSourceSaysSo() {
        ReservoirDataSource dataSource = build(faked().name("ended"));
        dataSource.close();
        dataSource.close();

        SQLNonTransientConnectionException error =
                catchThrowableOfType(SQLNonTransientConnectionException.class, dataSource::getConnection);

        assertThat((Throwable) error).hasMessageContaining("ended").hasMessageContaining("closed");
        assertThat(error.getSQLState()).isEqualTo("08003");
        assertThat(dataSource.isClosed()).isTrue();
        assertThat(dataSource.isRunning()).isFalse();
        assertThat(fake.openNow()).isZero();
    }

    @Test
    void oneThatWasClosedBeforeItsStartNeverStarts() {
        ReservoirDataSource dataSource = new ReservoirDataSource();
        made.add(dataSource);
        dataSource.setUrl("jdbc:fake:none");
        dataSource.close();

        assertThatThrownBy(dataSource::getConnection)
                .isInstanceOf(SQLNonTransientConnectionException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(dataSource::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anInterruptedThreadStaysInterrupted() throws Exception {
        ReservoirDataSource dataSource = build(faked().maxOpen(1));
        AtomicReference<Throwable> error = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.isClosed()).isFalse();
            Thread thread = new Thread(() -> {
                try {
                    dataSource.getConnection().close();
                } catch (SQLException e) {
                    error.set(e);
                }
                flag.set(Thread.currentThread().isInterrupted());
            });
            thread.start();
            await().untilAsserted(() -> assertThat(dataSource.stats().waiting()).isEqualTo(1));
            thread.interrupt();
            thread.join(30_000);
        }

        assertThat(error.get())
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(flag.get()).isTrue();
    }

    @Test
    void aBrokenConnectionIsReplacedAndNotHandedOutAgain() throws SQLException {
        ReservoirDataSource dataSource = build(real().maxOpen(1));
        int broken;
        try (Connection connection = dataSource.getConnection();
                Connection other = TestPostgres.open();
                Statement killer = other.createStatement()) {
            broken = backend(connection);
            killer.execute("select pg_terminate_backend(" + broken + ")");
            assertThatThrownBy(() -> backend(connection)).isInstanceOf(SQLException.class);
        }

        try (Connection connection = dataSource.getConnection()) {
            assertThat(backend(connection)).isNotEqualTo(broken);
        }
        assertThat(dataSource.stats().discards()).containsEntry(DiscardReason.BAD, 1L);
    }

    @Test
    void aBrokenConnectionPutsTheOthersUnderSuspicion() throws SQLException {
        ReservoirDataSource dataSource = build(real().maxOpen(4));
        List<Connection> all = new ArrayList<>();
        List<Integer> backends = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(dataSource.getConnection());
            backends.add(backend(all.get(i)));
        }
        Connection used = all.remove(0);
        for (Connection connection : all) {
            connection.close();
        }
        try (Connection other = TestPostgres.open();
                Statement killer = other.createStatement()) {
            for (int backend : backends) {
                killer.execute("select pg_terminate_backend(" + backend + ")");
            }
        }
        assertThatThrownBy(() -> backend(used)).isInstanceOf(SQLException.class);
        used.close();

        for (int i = 0; i < 20; i++) {
            try (Connection connection = dataSource.getConnection()) {
                assertThat(backends).doesNotContain(backend(connection));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Validation.class,
            names = {"CHECKOUT", "IDLE"})
    void validatingAtCheckoutPassesOverDeadConnections(Validation validation) throws SQLException {
        ReservoirDataSource dataSource = build(real().maxOpen(3)
                .validation(validation)
                .validationIdle(Duration.ZERO)
                .keepalive(Duration.ZERO));
        try (Connection other = TestPostgres.open();
                Statement killer = other.createStatement();
                Connection probe = dataSource.getConnection()) {
            killer.execute("select pg_terminate_backend(" + backend(probe) + ")");
        }
        for (int i = 0; i < 10; i++) {
            try (Connection connection = dataSource.getConnection()) {
                assertThat(backend(connection)).isPositive();
            }
        }
        assertThat(dataSource.stats().discards()).containsKey(DiscardReason.VALIDATION_FAILED);
    }

    @Test
    void validatingAfterIdlenessLeavesBusyConnectionsAlone() throws SQLException {
        ReservoirDataSource dataSource =
                build(faked().maxOpen(1).validation(Validation.IDLE).validationIdle(Duration.ofMinutes(5)));
        for (int i = 0; i < 5; i++) {
            dataSource.getConnection().close();
        }
        assertThat(fake.connections.get(0).calls).doesNotContain("isValid");
    }

    @Test
    void validatingInTheBackgroundOnlyNeverAsksAtCheckout() throws SQLException {
        ReservoirDataSource dataSource = build(faked().maxOpen(1));
        for (int i = 0; i < 5; i++) {
            dataSource.getConnection().close();
        }
        assertThat(fake.connections.get(0).calls).doesNotContain("isValid");
    }

    @Test
    void idleConnectionsAreValidatedInTheBackground() {
        ReservoirDataSource dataSource = build(faked().maxOpen(1).keepalive(Duration.ofMillis(1)));

        await().atMost(Duration.ofSeconds(30))
                .until(() -> fake.connections.stream().allMatch(c -> c.calls.contains("isValid")));
        fake.connections.get(0).valid = false;
        await().atMost(Duration.ofSeconds(30)).until(() -> fake.connections.get(0).closed);
        assertThat(dataSource.stats().discards()).containsKey(DiscardReason.VALIDATION_FAILED);
    }

    @Test
    void anotherUserIsNotSupported() throws SQLException {
        ReservoirDataSource dataSource = build(faked().username("app").password("hunter2"));

        dataSource.getConnection("app", "hunter2").close();
        assertThatThrownBy(() -> dataSource.getConnection("app", "wr0ng"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .message()
                .doesNotContain("hunter2", "wr0ng");
        assertThatThrownBy(() -> dataSource.getConnection("root", "hunter2"))
                .isInstanceOf(SQLFeatureNotSupportedException.class);
        assertThatThrownBy(() -> dataSource.getConnection(null, null))
                .isInstanceOf(SQLFeatureNotSupportedException.class);
    }

    @Test
    void aConnectionCanBeEvicted() throws SQLException {
        ReservoirDataSource dataSource = build(real().maxOpen(1));
        ReservoirDataSource other = build(faked());
        Connection connection = dataSource.getConnection();
        int backend = backend(connection);

        dataSource.evict(connection);
        assertThat(backend(connection)).as("goes on until it is closed").isEqualTo(backend);
        connection.close();
        dataSource.evict(connection);

        try (Connection next = dataSource.getConnection()) {
            assertThat(backend(next)).isNotEqualTo(backend);
            dataSource.evict(connection);
            assertThat(next.isValid(5))
                    .as("not taken for the one that was closed")
                    .isTrue();
            assertThatThrownBy(() -> other.evict(next)).isInstanceOf(SQLException.class);
        }
        assertThatThrownBy(() -> dataSource.evict(TestPostgres.open())).isInstanceOf(SQLException.class);
        await().untilAsserted(() -> assertThat(dataSource.stats().discards()).containsEntry(DiscardReason.EVICTED, 1L));
    }

    @Test
    void flushReplacesAllConnections() throws Exception {
        ReservoirDataSource dataSource = build(faked());
        List<FakeDatabase.FakeConnection> before = List.copyOf(fake.connections);

        dataSource.flush();

        await().atMost(Duration.ofSeconds(30)).until(() -> before.stream().allMatch(c -> c.closed));
        assertThat(dataSource.awaitReady(2, Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void pausedItHandsOutNothingUntilItIsResumed() throws SQLException {
        ReservoirDataSource dataSource = build(faked().acquireTimeout(Duration.ofMillis(50)));
        dataSource.pause();
        await().until(() -> dataSource.stats().paused());
        assertThatThrownBy(dataSource::getConnection).hasMessageContaining("the reservoir is paused");

        dataSource.resume();

        await().until(() -> !dataSource.stats().paused());
        dataSource.getConnection().close();
    }

    @Test
    void targetsCanBeChangedWhileItRunsAndMostOtherSettingsNot() {
        ReservoirDataSource dataSource = build(faked().maxOpen(2));

        dataSource.setMaxOpen(4);
        await().atMost(Duration.ofSeconds(30)).until(() -> dataSource.stats().open() == 4);
        dataSource.setTargets(new Targets(3, 2, 1, 0));
        await().untilAsserted(() -> assertThat(dataSource.stats().targets()).isEqualTo(new Targets(3, 2, 1, 0)));
        assertThat(dataSource.getTargetReady()).isEqualTo(2);

        assertThatThrownBy(() -> dataSource.setMaxOpen(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("targetReady is 2; allowed: 0 to 1");
        assertThat(dataSource.getMaxOpen()).isEqualTo(3);
        assertThatThrownBy(() -> dataSource.setEmptyWait("1s"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(
                        "runs; only these settings can change while it does: username, password, maxOpen,");
        assertThatThrownBy(() -> dataSource.setUrl("jdbc:x")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whoHoldsWhatIsReported() throws SQLException {
        ReservoirDataSource dataSource = build(faked().tracksCheckouts(true));
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.isClosed()).isFalse();
            assertThat(dataSource.checkouts(Duration.ZERO)).singleElement().satisfies(checkout -> {
                assertThat(checkout.thread()).isEqualTo(Thread.currentThread().getName());
                assertThat(checkout.stack()).anyMatch(f -> f.getMethodName().equals("whoHoldsWhatIsReported"));
            });
            assertThat(dataSource.checkouts(Duration.ofHours(1))).isEmpty();
        }
    }

    @Test
    void aBeanStartsWithItsFirstConnection() throws SQLException {
        FakeDatabase database = FakeDatabase.FakeDriver.database("lazy");
        ReservoirDataSource dataSource = new ReservoirDataSource();
        made.add(dataSource);
        dataSource.setDriverClassName(FakeDatabase.FakeDriver.class.getName());
        dataSource.setUrl("jdbc:fake:lazy");
        dataSource.setUsername("app");
        dataSource.setPassword("hunter2");
        dataSource.setMaxOpen(3);
        dataSource.addDriverProperty("ApplicationName", "orders");
        assertThat(dataSource.isRunning()).isFalse();
        assertThatThrownBy(dataSource::stats)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has not been started");

        dataSource.getConnection().close();

        assertThat(dataSource.isRunning()).isTrue();
        await().atMost(Duration.ofSeconds(30)).until(() -> database.connections.size() >= 3);
        assertThat(database.logins.get(0))
                .containsEntry("user", "app")
                .containsEntry("password", "hunter2")
                .containsEntry("ApplicationName", "orders");
        dataSource.close();
        assertThat(database.openNow()).isZero();
    }

    @Test
    void theFirstCheckoutEndsByItsOwnDeadlineToo() {
        fake.hang = new CountDownLatch(1);
        FakeDatabase.FakeDriver.database("slow").hang = fake.hang;
        ReservoirDataSource dataSource = new ReservoirDataSource();
        made.add(dataSource);
        dataSource.setDriverClassName(FakeDatabase.FakeDriver.class.getName());
        dataSource.setUrl("jdbc:fake:slow");
        dataSource.setAcquireTimeout("50ms");
        dataSource.setInitialFillTimeout("10m");
        dataSource.setDrainTimeout("0");

        assertThatThrownBy(dataSource::getConnection).isInstanceOf(SQLTransientConnectionException.class);
        fake.hang.countDown();
    }

    @Test
    void theFirstCheckoutOfABeanDoesNotWaitForTheInitialFill() throws SQLException {
        ReservoirDataSource dataSource = new ReservoirDataSource();
        made.add(dataSource);
        dataSource.setDataSource(fake);
        dataSource.setMaxOpen(3);
        dataSource.setConnectionRateLimit(0.001);
        dataSource.setAcquireTimeout("10m");
        dataSource.setInitialFillTimeout("10m");

        assertTimeoutPreemptively(
                Duration.ofMinutes(1), () -> dataSource.getConnection().close());

        assertThat(dataSource.stats().open()).as("one, of three").isEqualTo(1);
    }

    @Test
    void anInterruptedCloseReturnsAndTheDrainGoesOn() throws Exception {
        ReservoirDataSource dataSource = build(faked().name("draining").drainTimeout(Duration.ofMinutes(5)));
        Connection connection = dataSource.getConnection();
        Thread.currentThread().interrupt();

        dataSource.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(dataSource.isClosed()).isTrue();
        assertThat(connection.isClosed()).as("its caller goes on").isFalse();
        assertThat(DataSourceRegistry.names()).contains("draining");
        Thread second = new Thread(dataSource::close);
        second.start();
        await().until(() -> second.getState() == Thread.State.TIMED_WAITING);
        assertThat(DataSourceRegistry.names()).contains("draining");

        connection.close();

        second.join(Duration.ofSeconds(30).toMillis());
        assertThat(second.isAlive()).isFalse();
        assertThat(DataSourceRegistry.names()).doesNotContain("draining");
        assertThat(fake.openNow()).isZero();
    }

    @Test
    void aDriverThatDoesNotAcceptTheUrlIsRefusedAtTheStart() {
        assertThatThrownBy(() -> ReservoirDataSource.builder()
                        .url("jdbc:other:x?password=hunter2")
                        .driverClassName(FakeDatabase.FakeDriver.class.getName())
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "url is jdbc:other:x?password=***; allowed: a URL that the driverClassName accepts, which is "
                                + FakeDatabase.FakeDriver.class.getName());
    }

    @ParameterizedTest
    @EnumSource(
            value = Validation.class,
            names = {"CHECKOUT", "IDLE"})
    void aReadyConnectionIsValidatedEvenIfACheckoutMayNotWait(Validation validation) throws SQLException {
        ReservoirDataSource dataSource = build(faked().maxOpen(1)
                .validation(validation)
                .validationIdle(Duration.ZERO)
                .acquireTimeout(Duration.ZERO));

        dataSource.getConnection().close();

        assertThat(fake.connections.get(0).calls).contains("isValid");
    }

    @Test
    void aBeanThatCannotStartSaysWhyAsAnSqlException() {
        ReservoirDataSource dataSource = new ReservoirDataSource();
        dataSource.setName("wrong");
        dataSource.setMaxOpen(0);
        dataSource.setUrl("jdbc:fake:x");

        assertThatThrownBy(dataSource::getConnection)
                .isInstanceOf(SQLNonTransientConnectionException.class)
                .hasMessage("ReservoirDataSource[wrong] cannot start: maxOpen is 0; allowed: 1 to 100000");
        dataSource.setMaxOpen(1);
        assertThatThrownBy(dataSource::getConnection)
                .hasMessageContaining("url is jdbc:fake:x; allowed: a URL that a driver on the class path accepts");
        dataSource.setDriverClassName("no.such.Driver");
        assertThatThrownBy(dataSource::getConnection)
                .hasMessageContaining(
                        "driverClassName is no.such.Driver; allowed: a java.sql.Driver on the class path");
        dataSource.setDriverClassName("java.lang.String");
        assertThatThrownBy(dataSource::getConnection)
                .hasMessageContaining("driverClassName is java.lang.String; allowed: a java.sql.Driver");
        assertThat(DataSourceRegistry.names()).doesNotContain("wrong");
    }

    @Test
    void severalRunSideBySideEachWithItsName() throws SQLException {
        ReservoirDataSource orders = build(faked().name("orders"));
        ReservoirDataSource users = build(faked().name("users"));
        ReservoirDataSource unnamed = build(faked());

        assertThat(DataSourceRegistry.names()).contains("orders", "users", unnamed.getName());
        orders.close();
        assertThat(DataSourceRegistry.names()).contains("users").doesNotContain("orders");
        users.getConnection().close();
    }

    @Test
    void aBuilderBuildsOnce() {
        ReservoirDataSourceBuilder builder = faked();
        build(builder);

        assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aConnectionStillInUseAtTheEndIsClosedUnderItsCaller() throws SQLException {
        ReservoirDataSource dataSource = build(real().drainTimeout(Duration.ZERO));
        Connection connection = dataSource.getConnection();

        dataSource.close();

        assertThat(connection.isClosed()).isTrue();
        connection.close();
    }

    @Test
    void itAnswersForWhatItWraps() throws Exception {
        ReservoirDataSource dataSource = build(faked().acquireTimeout(Duration.ofMillis(1500)));

        assertThat(dataSource.unwrap(ReservoirDataSource.class)).isSameAs(dataSource);
        assertThat(dataSource.unwrap(DataSource.class)).isSameAs(dataSource);
        assertThat(dataSource.unwrap(FakeDatabase.class)).isSameAs(fake);
        assertThat(dataSource.isWrapperFor(FakeDatabase.class)).isTrue();
        assertThat(dataSource.isWrapperFor(String.class)).isFalse();
        assertThatThrownBy(() -> dataSource.unwrap(String.class)).isInstanceOf(SQLException.class);
        assertThat(dataSource.getLoginTimeout()).isEqualTo(2);
        assertThatThrownBy(() -> dataSource.setLoginTimeout(-1)).isInstanceOf(SQLException.class);
        assertThat(dataSource.getLogWriter()).isNull();
        dataSource.setLogWriter(null);
        assertThatThrownBy(() -> dataSource.setLogWriter(new PrintWriter(new StringWriter())))
                .isInstanceOf(SQLFeatureNotSupportedException.class);
        assertThatThrownBy(dataSource::getParentLogger).isInstanceOf(SQLFeatureNotSupportedException.class);
    }

    @Test
    void theLoginTimeOutOfABeanIsItsAcquireTimeOut() throws SQLException {
        ReservoirDataSource dataSource = new ReservoirDataSource();
        dataSource.setLoginTimeout(7);
        assertThat(dataSource.getAcquireTimeout()).isEqualTo("7s");
        dataSource.setLoginTimeout(0);
        assertThat(dataSource.getAcquireTimeout()).isEqualTo("30s");
    }

    @Test
    void nothingShownHoldsTheSecrets() throws Exception {
        ReservoirDataSource dataSource = new ReservoirDataSource();
        dataSource.setName("discreet");
        dataSource.setUrl("jdbc:fake:discreet?password=in-the-url");
        dataSource.setUsername("app");
        dataSource.setPassword("hunter2");
        dataSource.addDriverProperty("sslpassword", "in-a-property");

        assertThat(dataSource.toString()).isEqualTo("ReservoirDataSource[discreet]");
        assertThat(dataSource.getUrl()).isEqualTo("jdbc:fake:discreet?password=***");
        assertThat(dataSource.getReference().toString())
                .contains("discreet")
                .doesNotContain("hunter2", "in-the-url", "in-a-property");
    }
}
