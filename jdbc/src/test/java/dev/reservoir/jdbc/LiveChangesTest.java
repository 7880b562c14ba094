package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.jdbc.pool.CheckoutPath;
import dev.reservoir.jdbc.pool.DataSourceRegistry;
import dev.reservoir.testkit.LogLines;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Logger;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** The settings that can be changed while the data source runs. */
class LiveChangesTest {
    private final FakeDatabase fake = new FakeDatabase();

    private ReservoirDataSource running(String name) {
        return ReservoirDataSource.builder()
                .dataSource(fake)
                .name(name)
                .username("app")
                .password("first-5ecret")
                .maxOpen(1)
                .drainTimeout(Duration.ZERO)
                .build();
    }

    private Properties lastLogin() {
        return fake.logins.get(fake.logins.size() - 1);
    }

    private void awaitLogins(int count) {
        await().atMost(Duration.ofSeconds(30)).until(() -> fake.logins.size() >= count);
    }

    @Test
    void aNewPasswordIsUsedByTheNextConnect() throws SQLException {
        try (ReservoirDataSource dataSource = running("new-password")) {
            dataSource.setPassword("second-5ecret");
            assertThat(fake.logins).as("open connections stay").hasSize(1);

            dataSource.flush();

            awaitLogins(2);
            assertThat(lastLogin()).containsEntry("user", "app").containsEntry("password", "second-5ecret");
            dataSource.getConnection("app", "second-5ecret").close();
            assertThatThrownBy(() -> dataSource.getConnection("app", "first-5ecret"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
        }
    }

    @Test
    void userAndPasswordCanBeChangedTogether() {
        try (ReservoirDataSource dataSource = running("new-login")) {
            dataSource.changeLogin("other", "third-5ecret");
            dataSource.flush();

            awaitLogins(2);
            assertThat(lastLogin()).containsEntry("user", "other").containsEntry("password", "third-5ecret");
            assertThat(dataSource.getUsername()).isEqualTo("other");
        }
    }

    @Test
    void aUserThatIsTakenAwayIsRefusedAndChangesNothing() {
        try (ReservoirDataSource dataSource = running("no-user")) {
            assertThatThrownBy(() -> dataSource.setUsername(null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("username is null; allowed: a user");
            assertThat(dataSource.getUsername()).isEqualTo("app");
        }
    }

    @Test
    void aNewAcquireTimeoutHoldsForTheNextCheckout() throws SQLException {
        try (ReservoirDataSource dataSource = running("new-timeout");
                Connection held = dataSource.getConnection()) {
            assertThat(held.isClosed()).isFalse();
            dataSource.setAcquireTimeout("50ms");

            // The message names the part of the 50 ms that is left when the wait begins.
            assertThatThrownBy(dataSource::getConnection)
                    .hasMessageMatching("new-timeout: no connection within .* ms\\. .*");
            dataSource.setLoginTimeout(7);
            assertThat(dataSource.getAcquireTimeout()).isEqualTo("7s");
        }
    }

    @Test
    void aChangeDoesNotForgetThatConnectionsAreUsedOnSeveralThreads() {
        try (ReservoirDataSource dataSource = running("several-threads")) {
            DataSourceRegistry.find("several-threads").checkoutPath().severalThreadsSeen();

            dataSource.setAcquireTimeout("2s");

            assertThat(DataSourceRegistry.find("several-threads").checkoutPath().expectsSeveralThreads())
                    .isTrue();
        }
    }

    @Test
    void whatIsNotAllowedThrowsAndChangesNothing() {
        try (ReservoirDataSource dataSource = running("refused")) {
            assertThatThrownBy(() -> dataSource.setAcquireTimeout("-1s"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("acquireTimeout is -1s; allowed: 0s to 8760h0m0s");
            assertThat(dataSource.getAcquireTimeout()).isEqualTo("30s");
            assertThatThrownBy(() -> dataSource.setLoginTimeout(-1)).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> dataSource.setGuardWindow("11m")).isInstanceOf(IllegalArgumentException.class);
            assertThat(dataSource.getGuardWindow()).isEqualTo("45s");
            assertThatThrownBy(() -> dataSource.setSchema("other")).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void newLifetimesHoldForConnectionsThatAreOpenedFromThenOn() {
        List<Duration> lifetimes = new CopyOnWriteArrayList<>();
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .dataSource(fake)
                .name("new-lifetime")
                .maxOpen(1)
                .listener(new Listener<>() {
                    @Override
                    public void opened(Pooled<Object> connection, long openNanos) {
                        lifetimes.add(Duration.ofNanos(connection.expiresNanos() - connection.bornNanos()));
                    }
                })
                .build()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> lifetimes.size() == 1);
            dataSource.setLifetimeJitter("0");
            dataSource.setBaseLifetime("25m");
            dataSource.flush();

            await().atMost(Duration.ofSeconds(30)).until(() -> lifetimes.size() == 2);
            assertThat(lifetimes.get(0)).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(12));
            assertThat(lifetimes.get(1)).isEqualTo(Duration.ofMinutes(25));
            assertThat(dataSource.getBaseLifetime()).isEqualTo("25m0s");
        }
    }

    @Test
    void aNewConnectTimeoutEndsConnectsThatHang() {
        try (ReservoirDataSource dataSource = running("new-connect-timeout")) {
            CountDownLatch hang = new CountDownLatch(1);
            fake.hang = hang;
            try {
                dataSource.setConnectTimeout("50ms");
                dataSource.flush();

                await().atMost(Duration.ofSeconds(30))
                        .until(() -> dataSource.stats().openFailures().containsKey(OpenFailureReason.CONNECT_TIMEOUT));
            } finally {
                fake.hang = null;
                hang.countDown();
            }
        }
    }

    @Test
    void aNewConnectTimeoutIsToldToADriverThatTakesOne() {
        KnownDriver.database = fake;
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .url("jdbc:postgresql://live-changes/db")
                .driverClassName(KnownDriver.class.getName())
                .name("new-driver-timeout")
                .connectTimeout(Duration.ofSeconds(20))
                .maxOpen(1)
                .drainTimeout(Duration.ZERO)
                .build()) {
            assertThat(KnownDriver.connectTimeouts).containsExactly("20");

            dataSource.setConnectTimeout("7s");
            dataSource.flush();

            await().atMost(Duration.ofSeconds(30)).until(() -> KnownDriver.connectTimeouts.size() > 1);
            assertThat(KnownDriver.connectTimeouts).containsExactly("20", "7");
        }
    }

    /** Treats timeouts as PostgreSQL's driver does. */
    public static final class KnownDriver implements Driver {
        static final List<String> connectTimeouts = new CopyOnWriteArrayList<>();
        static volatile FakeDatabase database = new FakeDatabase();

        @Override
        public Connection connect(String url, Properties info) throws SQLException {
            connectTimeouts.add(info.getProperty("connectTimeout"));
            return database.getConnection();
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith("jdbc:postgresql:");
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
            return new DriverPropertyInfo[] {new DriverPropertyInfo("connectTimeout", "10")};
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }

    @Test
    void aNewValidationTimeoutHoldsForTheNextCheckout() throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .dataSource(fake)
                .name("new-validation-timeout")
                .validation(Validation.CHECKOUT)
                .validationTimeout(Duration.ofSeconds(4))
                .maxOpen(1)
                .drainTimeout(Duration.ZERO)
                .build()) {
            dataSource.getConnection().close();
            assertThat(fake.validSeconds).isEqualTo(4);

            dataSource.setValidationTimeout("9s");
            dataSource.getConnection().close();

            assertThat(fake.validSeconds).isEqualTo(9);
        }
    }

    @Test
    void everyTimeoutAndLifetimeCanBeChangedByJmx() throws Exception {
        ObjectName name = new ObjectName("dev.reservoir:type=ReservoirDataSource,name=all-live");
        try (ReservoirDataSource dataSource = running("all-live")) {
            ReservoirDataSourceMXBean bean = JMX.newMXBeanProxy(
                    ManagementFactory.getPlatformMBeanServer(), name, ReservoirDataSourceMXBean.class);
            bean.setConnectTimeout("11s");
            bean.setValidationTimeout("6s");
            bean.setIdleTimeout("7m");
            bean.setKeepalive("3m");
            bean.setBaseLifetime("20m");
            bean.setLifetimeJitter("4m");
            bean.setGuardWindow("50s");

            assertThat(List.of(
                            bean.getConnectTimeout(),
                            bean.getValidationTimeout(),
                            bean.getIdleTimeout(),
                            bean.getKeepalive(),
                            bean.getBaseLifetime(),
                            bean.getLifetimeJitter(),
                            bean.getGuardWindow()))
                    .containsExactly("11s", "6s", "7m0s", "3m0s", "20m0s", "4m0s", "50s");
            assertThat(dataSource.getGuardWindow()).isEqualTo("50s");
        }
    }

    @Test
    void aLookUpFindsItByItsOldAndItsNewPassword() throws Exception {
        FakeDatabase.FakeDriver.database("looked-up-live");
        try (ReservoirDataSource dataSource = new ReservoirDataSource()) {
            dataSource.setName("looked-up-live");
            dataSource.setUrl("jdbc:fake:looked-up-live");
            dataSource.setDriverClassName(FakeDatabase.FakeDriver.class.getName());
            dataSource.setUsername("app");
            dataSource.setPassword("first-5ecret");
            dataSource.start();
            var before = dataSource.getReference();
            dataSource.setPassword("second-5ecret");

            ReservoirDataSourceFactory factory = new ReservoirDataSourceFactory();
            assertThat(factory.getObjectInstance(before, null, null, null)).isSameAs(dataSource);
            assertThat(factory.getObjectInstance(dataSource.getReference(), null, null, null))
                    .isSameAs(dataSource);
        }
    }

    @Test
    void jmxChangesThemAndShowsNoPassword() throws Exception {
        var server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("dev.reservoir:type=ReservoirDataSource,name=live-jmx");
        try (LogLines log = new LogLines();
                ReservoirDataSource dataSource = running("live-jmx")) {
            ReservoirDataSourceMXBean bean = JMX.newMXBeanProxy(server, name, ReservoirDataSourceMXBean.class);

            bean.changePassword("second-5ecret");
            bean.setAcquireTimeout("3s");
            bean.flush();

            awaitLogins(2);
            assertThat(lastLogin()).containsEntry("password", "second-5ecret");
            assertThat(dataSource.getAcquireTimeout()).isEqualTo("3s");
            bean.changeLogin("other", "third-5ecret");
            assertThat(dataSource.getUsername()).isEqualTo("other");
            assertThatThrownBy(() -> bean.setAcquireTimeout("-1s")).hasMessageContaining("acquireTimeout is -1s");
            assertThat(Arrays.stream(server.getMBeanInfo(name).getAttributes()).map(MBeanAttributeInfo::getName))
                    .doesNotContain("Password");
            assertThat(log.lines()).noneMatch(line -> line.contains("5ecret"));
        }
    }

    @Test
    void whatIsLearntOfThreadsOutlivesAChange() {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .dataSource(new FakeDatabase())
                .name("learning")
                .maxOpen(1)
                .build()) {
            CheckoutPath before = DataSourceRegistry.find("learning").checkoutPath();
            dataSource.setAcquireTimeout("7s");
            // A connection that was acquired before the change reports this.
            before.severalThreadsSeen();

            CheckoutPath after = DataSourceRegistry.find("learning").checkoutPath();
            assertThat(after).isNotSameAs(before);
            assertThat(after.expectsSeveralThreads()).isTrue();
        }
    }
}
