package dev.reservoir.spring.boot.autoconfigure;

import dev.reservoir.spring.boot.watch.ReservoirMeters;
import dev.reservoir.spring.boot.watch.ReservoirPools;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Meters {@code reservoir.connections.*} of every reservoir, if Micrometer is present. */
@AutoConfiguration(after = ReservoirPoolAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
public class ReservoirMetricsAutoConfiguration {

    /** Spring calls this constructor. */
    public ReservoirMetricsAutoConfiguration() {}

    /** Binds the meters to every registry of the application. */
    @Bean
    @ConditionalOnMissingBean
    public ReservoirMeters reservoirMeters(ReservoirPools pools) {
        return new ReservoirMeters(pools);
    }
}
