package dev.reservoir.spring.boot;

import dev.reservoir.spring.boot.autoconfigure.DsqlDataSourceAutoConfiguration;
import dev.reservoir.spring.boot.autoconfigure.DsqlTransactionAutoConfiguration;
import dev.reservoir.spring.boot.autoconfigure.ReservoirEndpointAutoConfiguration;
import dev.reservoir.spring.boot.autoconfigure.ReservoirMetricsAutoConfiguration;
import dev.reservoir.spring.boot.autoconfigure.ReservoirPoolAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Application contexts with the starter. */
final class Contexts {
    private Contexts() {}

    /** Without a database. */
    static ApplicationContextRunner bare() {
        List<Class<?>> all = new ArrayList<>(BootLine.DATA_SOURCE);
        all.add(DsqlDataSourceAutoConfiguration.class);
        all.add(DsqlTransactionAutoConfiguration.class);
        all.add(ReservoirPoolAutoConfiguration.class);
        all.add(ReservoirMetricsAutoConfiguration.class);
        all.add(ReservoirEndpointAutoConfiguration.class);
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(all.toArray(Class<?>[]::new)))
                .withPropertyValues("management.endpoints.web.exposure.include=*");
    }

    /** With the tests' PostgreSQL. */
    static ApplicationContextRunner onPostgres() {
        return bare().withPropertyValues(TestDatabase.properties());
    }
}
