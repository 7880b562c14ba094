package dev.reservoir.spring.boot3;

import dev.reservoir.spring.boot.autoconfigure.ReservoirPoolAutoConfiguration;
import dev.reservoir.spring.boot.watch.PoolHealth;
import dev.reservoir.spring.boot.watch.ReservoirPools;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The health of the application's reservoirs, under the name {@code reservoir}, if the actuator is present. */
@AutoConfiguration(after = ReservoirPoolAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("reservoir")
public class ReservoirHealthAutoConfiguration {

    /** Spring calls this constructor. */
    public ReservoirHealthAutoConfiguration() {}

    /** Shows the worst status, and the details of each reservoir. Takes no connection. */
    @Bean
    @ConditionalOnMissingBean(name = "reservoirHealthIndicator")
    public HealthIndicator reservoirHealthIndicator(ReservoirPools pools) {
        return () -> {
            PoolHealth health = PoolHealth.of(pools);
            return Health.status(health.status().name())
                    .withDetails(health.details())
                    .build();
        };
    }
}
