package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.reservoir.core.Stats;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import dev.reservoir.testkit.LogLines;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Properties;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Connections by {@code jdbc:reservoir:<name>}. */
class ReservoirDriverTest {
    private final FakeDatabase fake = new FakeDatabase();
    private final ReservoirDriver driver = new ReservoirDriver();

    private ReservoirDataSource start(String name) {
        return ReservoirDataSource.builder()
                .dataSource(fake)
                .name(name)
                .maxOpen(1)
                .emptyWait(Duration.ofMillis(30))
                .build();
    }

    @Test
    void theServiceLoaderKnowsIt() {
        assertThat(ServiceLoader.load(Driver.class)).hasAtLeastOneElementOfType(ReservoirDriver.class);
    }

    @Test
    void theDriverManagerHandsOutConnectionsOfTheNamedReservoir() throws SQLException {
        try (ReservoirDataSource dataSource = start("by-name")) {
            int connects = fake.logins.size();
            try (Connection connection = DriverManager.getConnection("jdbc:reservoir:by-name", "any", "body")) {
                assertThat(connection).isInstanceOf(WrappedConnection.class);
                assertThat(dataSource.stats().inUse()).isEqualTo(1);
            }
            assertThat(dataSource.stats().ready()).isEqualTo(1);
            assertThat(fake.logins).as("no physical connect").hasSize(connects);
        }
    }

    @Test
    void anErrorWhileTheDebugLineIsLoggedGivesTheConnectionBack() {
        Logger logger = (Logger) LoggerFactory.getLogger(ReservoirDataSource.class);
        AppenderBase<ILoggingEvent> failing = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getMessage().startsWith("Reservoir driver Open()")) {
                    throw new OutOfMemoryError("scripted");
                }
            }
        };
        try (LogLines log = new LogLines();
                ReservoirDataSource dataSource = start("no-memory-to-log")) {
            failing.setContext(logger.getLoggerContext());
            failing.start();
            logger.addAppender(failing);
            assertThatThrownBy(() -> driver.connect("jdbc:reservoir:no-memory-to-log", null))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(dataSource.stats())
                    .extracting(Stats::ready, Stats::inUse)
                    .containsExactly(1, 0);
            assertThat(log.lines()).isNotEmpty();
        } finally {
            logger.detachAppender(failing);
        }
    }

    @Test
    void inTheGuardWindowItsConnectionsAreNotValidAndThoseOfTheDataSourceAre() throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                        .dataSource(fake)
                        .name("guarded")
                        .maxOpen(2)
                        .minOpen(2)
                        .successorAllowance(0)
                        .baseLifetime(Duration.ofSeconds(3))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(1))
                        .drainTimeout(Duration.ofSeconds(1))
                        .emptyWait(Duration.ofSeconds(30))
                        .build();
                Connection ofPool = DriverManager.getConnection("jdbc:reservoir:guarded");
                Connection ofCaller = dataSource.getConnection()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> !ofPool.isValid(1));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dataSource.checkouts(Duration.ofSeconds(3)).size() == 2);

            assertThat(ofPool.isClosed()).isFalse();
            assertThat(ofCaller.isValid(1)).isTrue();
        }
    }

    @Test
    void eachOpenIsLoggedAtDebug() throws SQLException {
        try (ReservoirDataSource dataSource = start("logged");
                LogLines log = new LogLines()) {
            dataSource.getConnection().close();
            DriverManager.getConnection("jdbc:reservoir:logged").close();
            assertThat(log.startingWith("DEBUG Reservoir driver Open()"))
                    .containsExactly("DEBUG Reservoir driver Open() - connection checked out  open_count=1"
                            + " reservoir_ready=0 reservoir=logged");
        }
    }

    @Test
    void anEmptyReservoirIsATransientErrorAfterABriefWait() throws SQLException {
        try (ReservoirDataSource dataSource = start("empty-one");
                Connection taken = dataSource.getConnection()) {
            assertThat(taken.isClosed()).isFalse();
            assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:empty-one"))
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .hasMessageStartingWith("empty-one: no connection within 30 ms.");

            Properties info = new Properties();
            info.setProperty("emptyWait", "5ms");
            assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:empty-one", info))
                    .hasMessageStartingWith("empty-one: no connection within 5 ms.");
            info.setProperty("emptyWait", "0");
            assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:empty-one", info))
                    .hasMessageStartingWith("empty-one: no connection is ready.");
            info.setProperty("emptyWait", "-1s");
            assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:empty-one", info))
                    .isInstanceOf(SQLNonTransientConnectionException.class)
                    .hasMessage("emptyWait is -1s; allowed: 0s to 8760h0m0s");
            info.setProperty("emptyWait", "soon");
            assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:empty-one", info))
                    .isInstanceOf(SQLNonTransientConnectionException.class)
                    .hasMessageStartingWith("emptyWait is \"soon\"; allowed: a duration such as");
        }
    }

    @Test
    void aReadyConnectionHasTheTimeoutOfTheValidationToAnswer() throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                        .dataSource(fake)
                        .name("ready-one")
                        .maxOpen(1)
                        .validation(Validation.CHECKOUT)
                        .validationTimeout(Duration.ofSeconds(30))
                        .emptyWait(Duration.ofNanos(1))
                        .build();
                Connection connection = DriverManager.getConnection("jdbc:reservoir:ready-one")) {
            assertThat(connection.isClosed() || dataSource.isClosed()).isFalse();
            assertThat(fake.connections.get(0).calls).contains("isValid");
        }
    }

    @Test
    void anUnknownNameIsAnErrorThatListsTheKnownOnes() {
        try (ReservoirDataSource one = start("known-1");
                ReservoirDataSource two = start("known-2")) {
            assertThat(one.isRunning() && two.isRunning()).isTrue();
            assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:unknown"))
                    .isInstanceOf(SQLNonTransientConnectionException.class)
                    .hasMessageStartingWith(
                            "url is jdbc:reservoir:unknown; allowed: the name of a running reservoir; running now: ")
                    .hasMessageContaining("known-1, known-2");
        }
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:known-1"))
                .message()
                .doesNotContain("known-2");
    }

    @Test
    void aPasswordInTheUrlIsNotShown() {
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:x?password=hunter2"))
                .isInstanceOf(SQLNonTransientConnectionException.class)
                .hasMessageStartingWith("url is jdbc:reservoir:x?password=***; allowed:");
    }

    @Test
    void itLeavesOtherUrlsToOtherDrivers() throws SQLException {
        assertThat(driver.acceptsURL("jdbc:reservoir:x")).isTrue();
        assertThat(driver.acceptsURL("jdbc:postgresql://h/db")).isFalse();
        assertThat(driver.connect("jdbc:postgresql://h/db", null)).isNull();
        assertThatThrownBy(() -> driver.acceptsURL(null)).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> driver.connect(null, null)).isInstanceOf(SQLException.class);
    }

    @Test
    void itSaysWhatItIs() {
        assertThat(driver.getPropertyInfo("jdbc:reservoir:x", null))
                .singleElement()
                .satisfies(property -> {
                    assertThat(property.name).isEqualTo("emptyWait");
                    assertThat(property.description).isNotBlank();
                    assertThat(property.required).isFalse();
                });
        assertThat(driver.getMajorVersion()).isZero();
        assertThat(driver.getMinorVersion()).isEqualTo(1);
        assertThat(driver.jdbcCompliant()).isFalse();
        assertThatThrownBy(driver::getParentLogger).isInstanceOf(SQLFeatureNotSupportedException.class);
    }
}
