package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.spring.boot.failure.FirstConnectFailureAnalyzer;
import dev.reservoir.spring.boot.failure.SettingFailureAnalyzer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.StandardEnvironment;

/** What an application prints if it cannot start because of its data source. */
@ExtendWith(OutputCaptureExtension.class)
class FailuresTest {
    /** Starts an application, which must fail, and returns what it printed. */
    private static String failure(CapturedOutput output, Class<?> configuration, String... properties) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(SliceApplication.class, configuration)
                .web(WebApplicationType.NONE)
                .properties(TestDatabase.properties())
                .properties("spring.main.banner-mode=off")
                .properties(properties);
        Throwable failure = null;
        try {
            application.run().close();
        } catch (RuntimeException e) {
            failure = e;
        }
        assertThat(failure).as("the failure of the start").isNotNull();
        return output.getAll();
    }

    @Test
    void aRefusedLoginIsExplainedWithTheServersWords(CapturedOutput output) {
        String printed = failure(
                output,
                SliceApplication.class,
                "spring.datasource.url=" + TestDatabase.url() + "?sslpassword=hidden-value",
                "spring.datasource.password=wrong-secret");
        assertThat(printed)
                .contains("APPLICATION FAILED TO START")
                .contains("could not open the first connection of the data source 'dataSource'")
                .contains("password authentication failed for user")
                .contains("URL: " + TestDatabase.url() + "?sslpassword=***")
                .contains("User: " + TestDatabase.USER)
                .contains("spring.datasource.password")
                .doesNotContain("wrong-secret", "hidden-value");
    }

    @Test
    void aWrongValueIsExplained(CapturedOutput output) {
        assertThat(failure(output, SliceApplication.class, "spring.datasource.reservoir.acquire-timeout=5000"))
                .contains("APPLICATION FAILED TO START")
                .contains("Property: spring.datasource.reservoir.acquire-timeout")
                .contains("Value: \"5000\"")
                .contains("Origin: ")
                .contains("Allowed: a duration such as");
    }

    @Test
    void anUnknownDatabaseIsExplained() {
        String url = TestDatabase.url().replaceFirst("/[a-z]+$", "/nowhere");
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.url=" + url)
                .run(context -> assertThat(new FirstConnectFailureAnalyzer()
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .contains("database \"nowhere\" does not exist", "URL: " + url));
    }

    @Test
    void aDatabaseThatIsAwayIsExplained(CapturedOutput output) {
        assertThat(failure(
                        output,
                        Migration.class,
                        "spring.flyway.enabled=false",
                        "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none?password=hidden-value",
                        "spring.datasource.reservoir.initial-fill-timeout=0"))
                .contains("APPLICATION FAILED TO START")
                .contains("dataSource: no connection within 1 ms")
                .contains("Connection to 127.0.0.1:1 refused")
                .contains("URL: jdbc:postgresql://127.0.0.1:1/none?password=***")
                .contains("User: " + TestDatabase.USER)
                .doesNotContain("hidden-value");
    }

    /** Needs a connection before the application runs, and asks for one when a connect has failed. */
    @Configuration(proxyBeanMethods = false)
    static class Migration {
        @Bean
        Object migrated(ReservoirDataSource dataSource) throws SQLException {
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> !dataSource.stats().openFailures().isEmpty());
            dataSource.getConnection(Duration.ofMillis(1)).close();
            return "migrated";
        }
    }

    @Test
    void connectionDetailsAreShownIfTheyWereUsed(CapturedOutput output) {
        assertThat(failure(
                        output,
                        PausedMigration.class,
                        "spring.flyway.enabled=false",
                        "spring.datasource.url=jdbc:postgresql://nowhere.invalid/none",
                        "spring.datasource.username=nobody"))
                .contains("dataSource: no connection within 1 ms")
                .contains("URL: " + TestDatabase.url())
                .contains("User: " + TestDatabase.USER)
                .doesNotContain("nowhere.invalid", "nobody");
    }

    /** Needs a connection of a data source that hands out none. */
    @Configuration(proxyBeanMethods = false)
    @Import(BootLine.ConnectionDetails.class)
    static class PausedMigration {
        @Bean
        Object migrated(ReservoirDataSource dataSource) throws SQLException {
            dataSource.pause();
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> dataSource.counts().paused());
            dataSource.getConnection(Duration.ofMillis(1)).close();
            return "migrated";
        }
    }

    @Test
    void theLoginOfSpringBootIsNotShownForADataSourceOfTheApplication(CapturedOutput output) {
        assertThat(failure(output, OwnMigration.class, "spring.flyway.enabled=false"))
                .contains("own: no connection within 1 ms")
                .contains("The application needs a connection to start")
                .doesNotContain("URL: ", "User: ");
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Migration.class)
    static class OwnMigration {
        @Bean
        ReservoirDataSource own() {
            return ReservoirDataSource.builder()
                    .name("own")
                    .url("jdbc:postgresql://127.0.0.1:1/none")
                    .initialFillTimeout(Duration.ZERO)
                    .build();
        }
    }

    @ParameterizedTest
    @CsvSource({"driver-class-name, java.lang.String", "url, jdbc:nothing:x"})
    void aMistakeInTheLoginNamesThePropertyOfSpringBoot(String name, String value) {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource." + name + "=" + value)
                .run(context -> assertThat(new SettingFailureAnalyzer(new StandardEnvironment())
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .contains("Property: spring.datasource." + name, "Value: " + value));
    }

    @ParameterizedTest
    @CsvSource({
        "target-ready=9, target-ready, 0 to 3",
        "max-opn=9, max-opn, the nearest is spring.datasource.reservoir.max-open",
    })
    void aMistakeIsExplained(String property, String name, String allowed) {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.reservoir." + property)
                .run(context -> assertThat(new SettingFailureAnalyzer(new StandardEnvironment())
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .contains("Property: spring.datasource.reservoir." + name, "Allowed: " + allowed));
    }
}
