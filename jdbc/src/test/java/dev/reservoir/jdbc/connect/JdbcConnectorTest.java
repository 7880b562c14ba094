package dev.reservoir.jdbc.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.jdbc.ConnectErrorRule;
import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.jdbc.LiveThreads;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.error.ConnectErrors;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Open, validate and close with a driver that fails and hangs. */
class JdbcConnectorTest {
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final FakeDatabase database = FakeDatabase.FakeDriver.database("connector");
    private final CountDownLatch hang = new CountDownLatch(1);
    private final Config config = new Config();
    private ConnectErrorRule errorRule;
    private JdbcConnector connector;

    JdbcConnectorTest() {
        config.set(DataSourceSettings.URL, "jdbc:fake:connector?password=in-the-url");
        config.set(DataSourceSettings.DRIVER_CLASS_NAME, FakeDatabase.FakeDriver.class.getName());
    }

    private JdbcConnector connector(Credentials credentials, Settings settings) {
        return connector(credentials, settings, Thread::new);
    }

    private JdbcConnector connector(Credentials credentials, Settings settings, ThreadFactory threads) {
        connector = new JdbcConnector(
                "test",
                ConnectionSource.of(config),
                credentials,
                errorRule,
                new ValidationQuery(
                        config.given(DataSourceSettings.VALIDATION_QUERY),
                        new EventDispatcher(Runnable::run, org.slf4j.LoggerFactory.getLogger("lines"))),
                false,
                settings,
                threads);
        return connector;
    }

    private static Credentials fixed(String user, String secret) {
        Credential credential = new Credential(user, secret);
        return () -> CompletableFuture.completedFuture(credential);
    }

    private JdbcConnector connector() {
        return connector(fixed("app", "hunter2"), Settings.defaults());
    }

    @AfterEach
    void noThreadIsLeft() {
        hang.countDown();
        if (connector != null) {
            connector.end();
        }
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(LiveThreads.of("test")).isEmpty());
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static OpenFailedException failure(CompletionStage<?> stage) {
        try {
            get(stage);
        } catch (CompletionException e) {
            return (OpenFailedException) e.getCause();
        }
        throw new AssertionError("it opened");
    }

    @Test
    void aConnectUsesTheCredentialsAndTheDriversProperties() {
        config.addDriverProperty("ApplicationName", "orders");

        get(connector().open(LONG_NANOS));

        assertThat(database.logins.get(0))
                .containsOnly(
                        java.util.Map.entry("user", "app"),
                        java.util.Map.entry("password", "hunter2"),
                        java.util.Map.entry("ApplicationName", "orders"));
    }

    @Test
    void credentialsAreAskedForAtEveryConnect() {
        List<String> tokens = new ArrayList<>(List.of("token-1", "token-2"));
        connector(
                () -> CompletableFuture.completedFuture(new Credential("admin", tokens.remove(0))),
                Settings.defaults());

        get(connector.open(LONG_NANOS));
        get(connector.open(LONG_NANOS));

        assertThat(database.logins)
                .extracting(login -> login.getProperty("password"))
                .containsExactly("token-1", "token-2");
    }

    @Test
    void credentialsWithoutAUserUseTheConfiguredOne() {
        config.set(DataSourceSettings.USERNAME, "admin");
        Credentials token = fixed(null, "token");

        get(connector(token, Settings.defaults()).open(LONG_NANOS));
        connector.end();
        config.set(DataSourceSettings.URL, null);
        config.set(DataSourceSettings.DATA_SOURCE, database);
        get(connector(token, Settings.defaults()).open(LONG_NANOS));

        assertThat(database.logins)
                .hasSize(2)
                .allSatisfy(login -> assertThat(login)
                        .containsOnly(java.util.Map.entry("user", "admin"), java.util.Map.entry("password", "token")));
    }

    @Test
    void aSecretWithoutAnyUserIsRefusedRatherThanForgotten() {
        config.set(DataSourceSettings.URL, null);
        config.set(DataSourceSettings.DATA_SOURCE, database);

        assertThat(failure(connector(fixed(null, "t0k3n"), Settings.defaults()).open(LONG_NANOS)))
                .hasMessage("28000 username is missing; needed to log in to a dataSource with a password or token");
    }

    @Test
    void credentialsThatFailAreATokenProvidersFailure() {
        IOException cause = new IOException("no role");

        OpenFailedException failure =
                failure(connector(() -> CompletableFuture.failedFuture(cause), Settings.defaults())
                        .open(LONG_NANOS));

        assertThat(failure.reason()).isEqualTo(OpenFailureReason.TOKEN_PROVIDER);
        assertThat(failure).hasMessage("no role").hasCause(cause);
        assertThat(database.logins).isEmpty();
    }

    @Test
    void credentialsThatThrowOrNeverComeAreATokenProvidersFailure() {
        connector(
                () -> {
                    throw new IllegalStateException("broken");
                },
                Settings.defaults());
        assertThat(failure(connector.open(LONG_NANOS)).reason()).isEqualTo(OpenFailureReason.TOKEN_PROVIDER);
        connector.end();

        connector(CompletableFuture::new, Settings.defaults());
        assertThat(failure(connector.open(1_000_000)).reason()).isEqualTo(OpenFailureReason.TOKEN_PROVIDER);
    }

    @ParameterizedTest
    @CsvSource({
        "28P01, AUTHENTICATION",
        "28000, AUTHENTICATION",
        "53300, SERVER_FULL",
        "53400, SERVER_RATE",
        "08001, CONNECT",
        "08006, CONNECT",
        "3D000, UNKNOWN_DATABASE",
        "53200, CONNECT",
        ", CONNECT"
    })
    void aRefusedConnectIsSortedByItsState(String state, OpenFailureReason reason) {
        SQLException cause = new SQLException("refused", state);
        database.refusal = cause;

        OpenFailedException failure = failure(connector().open(LONG_NANOS));

        assertThat(failure.reason()).isEqualTo(reason);
        assertThat(failure)
                .hasMessage(state == null ? "refused" : state + " refused")
                .hasCause(cause);
    }

    @Test
    void aRuleMayTellWhyAConnectFailed() {
        errorRule = error -> "closed on Sundays".equals(error.getMessage()) ? OpenFailureReason.SERVER_RATE : null;

        database.refusal = new SQLException("closed on Sundays", "08006");
        assertThat(failure(connector().open(LONG_NANOS)).reason()).isEqualTo(OpenFailureReason.SERVER_RATE);
        connector.end();
        database.refusal = new SQLException("closed", "08006");
        assertThat(failure(connector().open(LONG_NANOS)).reason()).isEqualTo(OpenFailureReason.CONNECT);
    }

    @Test
    void theSourceOfCredentialsHearsOfARefusal() {
        List<Credential> refused = new CopyOnWriteArrayList<>();
        Credentials credentials = new Credentials() {
            @Override
            public CompletionStage<Credential> current() {
                return CompletableFuture.completedFuture(new Credential("app", "hunter2"));
            }

            @Override
            public void refused(Credential credential) {
                refused.add(credential);
            }
        };
        database.refusal = new SQLException("no such server", "08001");
        failure(connector(credentials, Settings.defaults()).open(LONG_NANOS));
        assertThat(refused).isEmpty();

        database.refusal = new SQLException("wrong", "28P01");
        failure(connector.open(LONG_NANOS));
        assertThat(refused).containsExactly(new Credential("app", "hunter2"));
    }

    @Test
    void theStateMayStandInACause() {
        SQLException inner = new SQLException("too many", "53300");

        assertThat(ConnectErrors.reason(new SQLException("outer", "08006", inner)))
                .isEqualTo(OpenFailureReason.SERVER_FULL);
    }

    @Test
    void aDriverThatWaitedInVainIsATimeOut() {
        SocketTimeoutException silence =
                new SocketTimeoutException("Read timed out for " + config.given(DataSourceSettings.URL));
        database.refusal = new SQLException("no luck", "08001", silence);
        assertThat(failure(connector().open(LONG_NANOS)).reason()).isEqualTo(OpenFailureReason.CONNECT_TIMEOUT);

        assertThat(ConnectErrors.reason(new SQLTimeoutException("no answer", "08000")))
                .isEqualTo(OpenFailureReason.CONNECT_TIMEOUT);
        assertThat(ConnectErrors.reason(new SQLTimeoutException("not you", "28P01")))
                .isEqualTo(OpenFailureReason.AUTHENTICATION);
    }

    @Test
    void whatADriverSaysIsShownWithoutSecrets() {
        database.refusal = new SQLException("hunter2 is wrong for " + config.given(DataSourceSettings.URL), "28P01");

        OpenFailedException failure = failure(connector().open(LONG_NANOS));

        assertThat(failure).hasMessage("28P01 *** is wrong for jdbc:fake:connector?password=***");
        assertThat(failure.getCause()).hasMessage("*** is wrong for jdbc:fake:connector?password=***");
        assertThat(failure.reason()).isEqualTo(OpenFailureReason.AUTHENTICATION);
    }

    @Test
    void aUrlThatTheDriverAcceptsAndDoesNotTakeIsShownWithoutItsPassword() {
        config.set(DataSourceSettings.URL, "jdbc:fake:no-such?password=in-the-url");

        assertThat(failure(connector().open(LONG_NANOS)))
                .hasMessage("08001 url is jdbc:fake:no-such?password=***; allowed: a URL that "
                        + FakeDatabase.FakeDriver.class.getName() + " accepts");
    }

    @Test
    void connectsRunSideBySideOnThreadsOfTheirOwn() {
        database.hang = hang;
        connector();
        List<CompletionStage<PhysicalConnection>> opens = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            opens.add(connector.open(LONG_NANOS));
        }

        await().untilAsserted(() -> assertThat(database.logins).hasSize(5));
        assertThat(LiveThreads.of("test"))
                .contains(
                        "reservoir-test-connect-1",
                        "reservoir-test-connect-2",
                        "reservoir-test-connect-3",
                        "reservoir-test-connect-4",
                        "reservoir-test-connect-5");
        hang.countDown();
        opens.forEach(JdbcConnectorTest::get);
    }

    @Test
    void aConnectThatOutlivesItsTimeOutIsInterrupted() {
        database.hang = hang;

        connector().open(1_000_000);

        await().until(() -> database.interrupted);
    }

    @Test
    void anInterruptDoesNotHitTheNextConnectOnTheSameThread() {
        database.hang = hang;
        CompletionStage<PhysicalConnection> first = connector().open(1_000_000);
        await().until(() -> database.interrupted);
        hang.countDown();
        get(first);
        database.interrupted = false;

        for (int i = 0; i < 100; i++) {
            get(connector.open(LONG_NANOS));
        }

        assertThat(database.interrupted).isFalse();
    }

    @Test
    void hungConnectsAreBoundedAndThenRefusedAtOnce() {
        database.hang = hang;
        connector(fixed(null, null), Settings.builder().opensInFlightMax(2).build());
        for (int i = 0; i < 4; i++) {
            connector.open(1_000_000);
        }

        OpenFailedException failure = failure(connector.open(TimeUnit.SECONDS.toNanos(10)));

        assertThat(failure.reason()).isEqualTo(OpenFailureReason.CONNECT);
        assertThat(failure)
                .hasMessage("no thread to connect on: all 4 threads are taken by calls of the driver that hang");
    }

    @Test
    void aConnectionThatComesAfterTheEndIsClosedAllTheSame() {
        database.hang = hang;
        CompletionStage<PhysicalConnection> late = connector().open(LONG_NANOS);
        await().untilAsserted(() -> assertThat(database.logins).hasSize(1));
        connector.end();
        CompletionStage<Void> closed = late.thenCompose(c -> connector.close(c, DiscardReason.LATE));

        hang.countDown();

        get(closed);
        assertThat(database.connections.get(0).closed).isTrue();
    }

    @Test
    void aConnectionThatCannotBeTakenOverIsClosed() {
        FakeDatabase.FakeConnection connection = database.new FakeConnection();
        FailingSource source = new FailingSource(connection);
        connector = new JdbcConnector(
                "test",
                source,
                fixed(null, null),
                null,
                new ValidationQuery(
                        null, new EventDispatcher(Runnable::run, org.slf4j.LoggerFactory.getLogger("lines"))),
                false,
                Settings.defaults(),
                Thread::new);

        assertThatThrownBy(() -> get(connector.open(LONG_NANOS))).hasMessageContaining("getAutoCommit");

        // The connect fails at once. A thread of the connector closes the connection.
        await().untilAsserted(() -> assertThat(connection.closed).isTrue());
    }

    private static final class FailingSource extends ConnectionSource {
        private final FakeDatabase.FakeConnection behind;

        FailingSource(FakeDatabase.FakeConnection behind) {
            this.behind = behind;
        }

        @Override
        public java.sql.Connection connect(Credential credential) {
            return (java.sql.Connection) java.lang.reflect.Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {java.sql.Connection.class},
                    (self, method, arguments) -> {
                        if (method.getName().equals("getAutoCommit")) {
                            throw new SQLException("getAutoCommit does not work", "HY000");
                        }
                        return method.invoke(behind.proxy, arguments);
                    });
        }

        @Override
        String url() {
            return null;
        }
    }

    @Test
    void aCloseThatHangsIsAborted() {
        PhysicalConnection connection = get(connector().open(LONG_NANOS));
        database.closeHang = hang;

        get(connector.close(connection, DiscardReason.EVICTED));

        assertThat(database.connections.get(0).aborted).isTrue();
    }

    @Test
    void aConnectionThatCannotBeClosedIsAborted() {
        PhysicalConnection connection = get(connector().open(LONG_NANOS));
        database.connections.get(0).closeFails = true;

        get(connector.close(connection, DiscardReason.BAD));

        assertThat(database.connections.get(0).aborted).isTrue();
    }

    @Test
    void aCloseThatFindsNoThreadIsMadeUpForAtTheEnd() {
        AtomicBoolean fails = new AtomicBoolean();
        connector(fixed("app", "hunter2"), Settings.defaults(), task -> {
            if (fails.get()) {
                throw new IllegalStateException("no thread today");
            }
            return new Thread(task);
        });
        PhysicalConnection idle = get(connector.open(LONG_NANOS));
        PhysicalConnection inUse = get(connector.open(LONG_NANOS));
        fails.set(true);

        CompletionStage<Void> closed = connector.close(idle, DiscardReason.EVICTED);
        CompletionStage<Void> aborted = connector.close(inUse, DiscardReason.ABANDONED);
        connector.end();

        get(closed);
        get(aborted);
        assertThat(database.openNow()).isZero();
    }

    @Test
    void aCloseThatFinishesIsNotAborted() {
        PhysicalConnection connection = get(connector().open(LONG_NANOS));
        assertThat(connector.owns(connection)).isTrue();

        get(connector.close(connection, DiscardReason.EVICTED));

        assertThat(connector.owns(connection)).isFalse();
        assertThat(database.connections.get(0).closed).isTrue();
        assertThat(database.connections.get(0).aborted).isFalse();
    }

    @Test
    void aDriverThatCrashesShowsNoSecretEither() {
        database.crash = new IllegalStateException("hunter2 is wrong for " + config.given(DataSourceSettings.URL));

        OpenFailedException failure = failure(connector().open(LONG_NANOS));

        assertThat(failure.reason()).isEqualTo(OpenFailureReason.CONNECT);
        assertThat(failure)
                .hasMessage("java.lang.IllegalStateException: *** is wrong for jdbc:fake:connector?password=***");
        assertThat(failure.getCause()).isNotSameAs(database.crash).hasNoCause();
        database.crash = new IllegalStateException("a bug");
        assertThat(failure(connector.open(LONG_NANOS))).hasMessage("a bug").hasCause(database.crash);
    }

    @Test
    void aValidationAsksTheDriver() {
        PhysicalConnection connection = get(connector().open(LONG_NANOS));

        assertThat(get(connector.validate(connection, LONG_NANOS))).isTrue();
        database.valid = false;
        assertThat(get(connector.validate(connection, LONG_NANOS))).isFalse();
        assertThat(database.connections.get(0).calls).doesNotContain("rollback");
    }

    @Test
    void aValidationWithoutAutoCommitRollsBackBeforeAndAfter() {
        database.autoCommit = false;
        PhysicalConnection connection = get(connector().open(LONG_NANOS));
        database.connections.get(0).calls.clear();

        assertThat(get(connector.validate(connection, LONG_NANOS))).isTrue();

        assertThat(database.connections.get(0).calls)
                .containsExactly("getAutoCommit", "rollback", "isValid", "rollback");
    }

    @Test
    void aValidationMayBeAQuery() throws SQLException {
        config.set(DataSourceSettings.VALIDATION_QUERY, "select 1");
        config.set(DataSourceSettings.URL, TestPostgres.url());
        config.set(DataSourceSettings.DRIVER_CLASS_NAME, null);
        PhysicalConnection connection =
                get(connector(fixed(null, null), Settings.defaults()).open(LONG_NANOS));
        assertThat(get(connector.validate(connection, LONG_NANOS))).isTrue();

        connection.raw.close();

        assertThat(get(connector.validate(connection, LONG_NANOS))).isFalse();
    }
}
