package dev.reservoir.spring.boot.autoconfigure;

import dev.reservoir.spring.boot.watch.ReservoirPoolMetadata;
import dev.reservoir.spring.boot.watch.ReservoirPools;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/** Finds the application's reservoirs, and gives their numbers to Spring Boot's own meters. */
@AutoConfiguration
@ImportRuntimeHints(ReservoirRuntimeHints.class)
public class ReservoirPoolAutoConfiguration {

    /** Spring calls this constructor. */
    public ReservoirPoolAutoConfiguration() {}

    /** Finds the application's reservoirs. */
    @Bean
    @ConditionalOnMissingBean
    public ReservoirPools reservoirPools(ListableBeanFactory beans) {
        return new ReservoirPools(beans);
    }

    /** Gives the numbers of a reservoir to Spring Boot. */
    @Bean
    public DataSourcePoolMetadataProvider reservoirPoolMetadataProvider() {
        return ReservoirPoolMetadata::of;
    }
}
