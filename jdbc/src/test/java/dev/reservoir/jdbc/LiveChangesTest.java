package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.testing.LogLines;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** What can be changed while the data source runs. */
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

            assertThatThrownBy(dataSource::getConnection).hasMessageContaining("no connection within 50 ms");
            dataSource.setLoginTimeout(7);
            assertThat(dataSource.getAcquireTimeout()).isEqualTo("7s");
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
}
