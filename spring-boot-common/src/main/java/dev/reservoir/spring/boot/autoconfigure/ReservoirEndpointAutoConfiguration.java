package dev.reservoir.spring.boot.autoconfigure;

import dev.reservoir.spring.boot.watch.ReservoirEndpoint;
import dev.reservoir.spring.boot.watch.ReservoirPools;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code reservoir}, if the actuator is present and the endpoint is exposed. */
@AutoConfiguration(after = ReservoirPoolAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(ReservoirEndpoint.class)
public class ReservoirEndpointAutoConfiguration {

    /** Spring calls this constructor. */
    public ReservoirEndpointAutoConfiguration() {}

    /** The endpoint. */
    @Bean
    @ConditionalOnMissingBean
    public ReservoirEndpoint reservoirEndpoint(ReservoirPools pools) {
        return new ReservoirEndpoint(pools);
    }
}
