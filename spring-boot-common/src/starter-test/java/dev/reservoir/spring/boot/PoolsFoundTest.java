package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.spring.boot.watch.ReservoirMeters;
import dev.reservoir.spring.boot.watch.ReservoirPools;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Which of the beans of an application are found as reservoirs. */
class PoolsFoundTest {
    @Test
    void aDataSourceThatCannotAnswerDoesNotHideTheOthers() {
        Contexts.bare()
                .withUserConfiguration(Routed.class)
                .run(context -> assertThat(context.getBean(ReservoirPools.class).running())
                        .containsExactly(context.getBean(ReservoirDataSource.class)));
    }

    @Test
    void aPoolThatStartsLaterHasMeters() {
        Contexts.bare().withUserConfiguration(StartedLater.class).run(context -> {
            MeterRegistry registry = new SimpleMeterRegistry();
            context.getBean(ReservoirMeters.class).bindTo(registry);
            Search search = registry.find("reservoir.connections.active").tag("pool", "later");
            FunctionCounter opened = registry.get("reservoir.connections.opened")
                    .tag("pool", "later")
                    .functionCounter();
            FunctionTimer creation =
                    registry.get("reservoir.connections.creation").functionTimer();
            assertThat(search.gauge().value()).isZero();
            assertThat(opened.count()).isZero();
            assertThat(creation.count()).isZero();

            ReservoirDataSource later = context.getBean(ReservoirDataSource.class);
            try (Connection connection = later.getConnection()) {
                assertThat(connection.isClosed()).isFalse();
                assertThat(search.gauge().value()).isEqualTo(1);
            }
            assertThat(opened.count()).isPositive();
            assertThat(creation.count()).isPositive();

            later.close();
            assertThat(search.gauge().value()).isZero();
            assertThat(opened.count()).isPositive();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class StartedLater {
        @Bean
        ReservoirDataSource later() {
            ReservoirDataSource later = new ReservoirDataSource();
            later.setUrl(TestDatabase.url());
            later.setUsername(TestDatabase.USER);
            later.setPassword(TestDatabase.password());
            later.setMaxOpen(1);
            return later;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Routed {
        @Bean
        AbstractRoutingDataSource routing(ReservoirDataSource target) {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    throw new NullPointerException("no request");
                }
            };
            routing.setTargetDataSources(Map.of("target", target));
            return routing;
        }

        @Bean
        ReservoirDataSource target() {
            return ReservoirDataSource.builder()
                    .name("target")
                    .url(TestDatabase.url())
                    .username(TestDatabase.USER)
                    .password(TestDatabase.password())
                    .maxOpen(1)
                    .build();
        }
    }
}
