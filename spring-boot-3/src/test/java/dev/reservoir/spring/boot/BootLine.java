package dev.reservoir.spring.boot;

import dev.reservoir.spring.boot3.ReservoirDataSourceAutoConfiguration;
import dev.reservoir.spring.boot3.ReservoirHealthAutoConfiguration;
import java.util.List;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the tests of both starters need of Spring Boot 3. */
final class BootLine {
    static final List<Class<?>> DATA_SOURCE = List.of(
            ReservoirDataSourceAutoConfiguration.class,
            ReservoirHealthAutoConfiguration.class,
            DataSourceAutoConfiguration.class,
            DataSourceTransactionManagerAutoConfiguration.class,
            TransactionAutoConfiguration.class,
            JdbcTemplateAutoConfiguration.class);

    private BootLine() {}

    /** Connection details as a container of a test gives them. */
    @Configuration(proxyBeanMethods = false)
    static class ConnectionDetails {
        @Bean
        JdbcConnectionDetails details() {
            return new JdbcConnectionDetails() {
                @Override
                public String getUsername() {
                    return TestDatabase.USER;
                }

                @Override
                public String getPassword() {
                    return TestDatabase.password();
                }

                @Override
                public String getJdbcUrl() {
                    return TestDatabase.url();
                }
            };
        }
    }

    /** The health of the application's reservoirs. */
    static PoolStatus health(ApplicationContext context) {
        Health health = context.getBean("reservoirHealthIndicator", HealthIndicator.class)
                .health();
        return new PoolStatus(health.getStatus().getCode(), health.getDetails());
    }
}
