package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.management.Attribute;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** The values that JMX shows and can change. */
class JmxTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final FakeDatabase fake = new FakeDatabase();

    private ReservoirDataSourceBuilder builder() {
        return ReservoirDataSource.builder().dataSource(fake).name("managed").maxOpen(2);
    }

    private static ObjectName name() throws Exception {
        return new ObjectName("dev.reservoir:type=ReservoirDataSource,name=managed");
    }

    @Test
    void itIsThereFromTheStartToTheEnd() throws Exception {
        ReservoirDataSource dataSource = new ReservoirDataSource();
        FakeDatabase.FakeDriver.database("managed");
        dataSource.setUrl("jdbc:fake:managed");
        dataSource.setDriverClassName(FakeDatabase.FakeDriver.class.getName());
        dataSource.setName("managed");
        assertThat(server.isRegistered(name())).isFalse();

        dataSource.start();
        assertThat(server.isRegistered(name())).isTrue();

        dataSource.close();
        assertThat(server.isRegistered(name())).isFalse();
    }

    @Test
    void itCanBeLeftOut() throws Exception {
        try (ReservoirDataSource dataSource = builder().jmx(false).build()) {
            assertThat(dataSource.isRunning()).isTrue();
            assertThat(server.isRegistered(name())).isFalse();
        }
    }

    @Test
    void itShowsTheNumbers() throws Exception {
        try (ReservoirDataSource dataSource = builder().build();
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.isClosed()).isFalse();
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(name()).getAttributes()) {
                assertThat(server.getAttribute(name(), attribute.getName()))
                        .as(attribute.getName())
                        .isNotNull();
            }
            ReservoirDataSourceMXBean bean = JMX.newMXBeanProxy(server, name(), ReservoirDataSourceMXBean.class);
            assertThat(bean.getName()).isEqualTo("managed");
            assertThat(bean.getMaxOpen()).isEqualTo(2);
            assertThat(bean.getInUse()).isEqualTo(1);
            assertThat(bean.getReady()).isEqualTo(1);
            assertThat(bean.getOpen()).isEqualTo(2);
            assertThat(bean.getOpened()).isEqualTo(2);
            assertThat(bean.getCheckouts()).isEqualTo(1);
            assertThat(bean.getWaiting()).isZero();
            assertThat(bean.getOpenP99Nanos()).isPositive();
            assertThat(bean.checkouts("0s"))
                    .singleElement()
                    .asString()
                    .contains(Thread.currentThread().getName());
            assertThat(bean.checkouts("1h")).isEmpty();
        }
    }

    @Test
    void itShowsReasons() throws Exception {
        fake.refusal = new SQLException("no", "28P01");
        try (ReservoirDataSource dataSource =
                builder().failFast(false).initialFillTimeout(Duration.ZERO).build()) {
            ReservoirDataSourceMXBean bean = JMX.newMXBeanProxy(server, name(), ReservoirDataSourceMXBean.class);
            await().untilAsserted(() -> assertThat(bean.getOpenFailures()).containsKey("authentication"));
            fake.refusal = null;
            assertThat(dataSource.awaitReady(2, Duration.ofSeconds(30))).isTrue();

            bean.flush();

            await().untilAsserted(() -> assertThat(bean.getDiscards()).containsEntry("evicted", 2L));
        }
    }

    @Test
    void itChangesTargetsAndPauses() throws Exception {
        try (ReservoirDataSource dataSource = builder().build()) {
            ReservoirDataSourceMXBean bean = JMX.newMXBeanProxy(server, name(), ReservoirDataSourceMXBean.class);

            server.setAttribute(name(), new Attribute("MaxOpen", 5));
            bean.setTargetReady(4);
            bean.setLowWatermark(3);
            bean.setMinOpen(1);
            await().untilAsserted(() -> {
                assertThat(bean.getMaxOpen()).isEqualTo(5);
                assertThat(bean.getTargetReady()).isEqualTo(4);
                assertThat(bean.getLowWatermark()).isEqualTo(3);
                assertThat(bean.getMinOpen()).isEqualTo(1);
            });
            assertThatThrownBy(() -> bean.setMaxOpen(0)).hasMessage("maxOpen is 0; allowed: 1 to 100000");
            // A remote client has only classes of the JDK.
            assertThatThrownBy(() -> bean.setMaxOpen(0)).isExactlyInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> bean.setAcquireTimeout("abc"))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("acquireTimeout is \"abc\"; allowed: ");
            assertThatThrownBy(() -> bean.checkouts("abc"))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("atLeast is \"abc\"; allowed: ");

            bean.pause();
            await().until(bean::isPaused);
            bean.resume();
            await().until(() -> !bean.isPaused());
            assertThat(dataSource.isRunning()).isTrue();
        }
    }
}
