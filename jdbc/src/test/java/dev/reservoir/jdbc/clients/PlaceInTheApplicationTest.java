package dev.reservoir.jdbc.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.orders.OrderService;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A report of a connection in use names the line of the application, no matter which libraries are between it and the
 * data source.
 */
class PlaceInTheApplicationTest {
    private final ReservoirDataSource dataSource = ReservoirDataSource.builder()
            .url(TestPostgres.url())
            .maxOpen(1)
            .tracksCheckouts(true)
            .build();
    private final OrderService service = new OrderService();

    @AfterEach
    void close() {
        dataSource.close();
    }

    private String place() {
        return dataSource.checkouts(Duration.ZERO).get(0).describe();
    }

    @Test
    void withoutAFramework() throws SQLException {
        assertThat(service.plain(dataSource, this::place)).contains(", OrderService.plain:");
    }

    @Test
    void throughAProxyOfTheJdk() throws SQLException {
        DataSource proxy = (DataSource) Proxy.newProxyInstance(
                OrderService.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> method.invoke(dataSource, arguments));

        // The handler is code of this test. Its package belongs to this project, so it counts as code of the library.
        assertThat(service.plain(proxy, this::place)).contains(", OrderService.plain:");
    }

    @Test
    void throughHibernate() {
        Configuration configuration = new Configuration();
        configuration.getProperties().put("hibernate.connection.datasource", dataSource);
        try (SessionFactory sessions = configuration.buildSessionFactory()) {
            assertThat(service.hibernate(sessions, this::place)).contains(", OrderService.hibernate:");
        }
    }

    @Test
    void throughSpring() {
        DataSource lazy = new LazyConnectionDataSourceProxy(dataSource);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));

        assertThat(service.springTransaction(transaction, this::place)).contains(", OrderService.springTransaction:");
        assertThat(service.springQuery(new JdbcTemplate(dataSource), this::place))
                .contains(", OrderService.springQuery:");
        assertThat(service.springQuery(new JdbcTemplate(lazy), this::place)).contains(", OrderService.springQuery:");
    }

    @Test
    void throughAClassThatSpringGenerates() throws SQLException {
        ProxyFactory factory = new ProxyFactory(dataSource);
        factory.setInterfaces(DataSource.class);
        factory.setProxyTargetClass(false);
        ProxyFactory services = new ProxyFactory(service);
        services.setProxyTargetClass(true);
        OrderService generated = (OrderService) services.getProxy();

        assertThat(generated.getClass()).isNotEqualTo(OrderService.class);
        assertThat(generated.plain((DataSource) factory.getProxy(), this::place))
                .contains(", OrderService.plain:");
    }

    @Test
    void throughJooq() {
        assertThat(service.jooq(dataSource, this::place)).contains(", OrderService.jooq:");
    }
}
