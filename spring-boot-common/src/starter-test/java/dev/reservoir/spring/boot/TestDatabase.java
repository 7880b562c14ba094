package dev.reservoir.spring.boot;

import dev.reservoir.postgres.local.LocalPostgres;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** A real PostgreSQL that the tests of this JVM share. Starts when a test first needs it and stops with the JVM. */
final class TestDatabase {
    static final String USER = LocalPostgres.USER;

    private static LocalPostgres server;

    private TestDatabase() {}

    private static synchronized LocalPostgres server() {
        if (server == null) {
            server = LocalPostgres.builder().setting("max_connections", "100").start();
        }
        return server;
    }

    static String url() {
        return server().urlWithoutUser();
    }

    static String password() {
        return server().password();
    }

    /** The properties of an application that uses it, with a small pool. */
    static String[] properties() {
        return new String[] {
            "spring.datasource.url=" + url(),
            "spring.datasource.username=" + USER,
            "spring.datasource.password=" + password(),
            "spring.datasource.reservoir.max-open=3"
        };
    }

    /** Gives these properties to a test context. */
    static final class Initializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {
        @Override
        public void initialize(ConfigurableApplicationContext context) {
            TestPropertyValues.of(properties()).applyTo(context);
        }
    }
}
