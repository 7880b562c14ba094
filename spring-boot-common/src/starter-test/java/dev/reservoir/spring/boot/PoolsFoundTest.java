package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.spring.boot.watch.ReservoirPools;
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
