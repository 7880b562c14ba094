package dev.reservoir.spring.boot;

import dev.reservoir.jdbc.ReservoirDataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Runs an application on a class path that a test has chosen. */
public final class PlainProgram {
    private PlainProgram() {}

    /** Starts an application, uses its data source, and returns the names of its beans. */
    public static String[] beans(String... properties) throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(SliceApplication.class)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .properties("spring.main.banner-mode=off")
                .run()) {
            context.getBean(ReservoirDataSource.class).getConnection().close();
            return context.getBeanDefinitionNames();
        }
    }
}
