package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.dsql.spring.RetryingTransactionAdvisor;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.LogLines;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;

/** When a reservoir becomes the data source of an application, and with which settings. */
class DataSourceSelectionTest {
    @Test
    void itWinsAlthoughHikariIsOnTheClassPath() {
        Contexts.onPostgres().run(context -> {
            assertThat(context).hasSingleBean(DataSource.class).hasSingleBean(ReservoirDataSource.class);
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select current_user", String.class))
                    .isEqualTo(TestDatabase.USER);
            assertThat(context.getBean(ReservoirDataSource.class).getMaxOpen()).isEqualTo(3);
        });
    }

    @Test
    void itRunsBeforeTheFirstCheckout() {
        Contexts.onPostgres()
                .run(context -> assertThat(context.getBean(ReservoirDataSource.class)
                                .counts()
                                .size())
                        .isEqualTo(3));
    }

    @Test
    void anotherTypeIsHonoured() {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.type=" + HikariDataSource.class.getName())
                .run(context -> assertThat(context)
                        .doesNotHaveBean(ReservoirDataSource.class)
                        .hasSingleBean(HikariDataSource.class));
    }

    @Test
    void itsOwnTypeIsHonoured() {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.type=" + ReservoirDataSource.class.getName())
                .run(context -> assertThat(
                                context.getBean(ReservoirDataSource.class).getMaxOpen())
                        .isEqualTo(3));
    }

    @Test
    void withoutAUrlSpringBootUsesItsEmbeddedDatabase() {
        Contexts.bare()
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=2")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(DataSource.class)
                        .doesNotHaveBean(ReservoirDataSource.class));
        Contexts.bare()
                .withClassLoader(new FilteredClassLoader(HikariDataSource.class))
                .run(context -> assertThat(context).hasSingleBean(EmbeddedDatabase.class));
    }

    @Test
    void blankPropertiesCountAsNotSet() {
        Contexts.bare()
                .withPropertyValues(
                        "spring.datasource.url=",
                        "spring.datasource.reservoir.data-source-class-name=${MISSING:}",
                        "spring.datasource.reservoir.dsql.endpoint=${MISSING:}",
                        "spring.datasource.reservoir.dsql.retry-transactions=")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(HikariDataSource.class)
                        .doesNotHaveBean(RetryingTransactionAdvisor.class));
        Contexts.onPostgres()
                .withPropertyValues(
                        "spring.datasource.reservoir.data-source-class-name=",
                        "spring.datasource.reservoir.dsql.endpoint= ")
                .run(context -> assertThat(context).hasSingleBean(ReservoirDataSource.class));
    }

    @Test
    void aBlankUrlDoesNotDisturbADataSourceClass() {
        Contexts.bare()
                .withPropertyValues(
                        "spring.datasource.url=",
                        "spring.datasource.reservoir.data-source-class-name=" + PGSimpleDataSource.class.getName(),
                        "spring.datasource.reservoir.driver-properties.url=" + TestDatabase.url(),
                        "spring.datasource.username=" + TestDatabase.USER,
                        "spring.datasource.password=" + TestDatabase.password(),
                        "spring.datasource.reservoir.max-open=1")
                .run(context -> assertThat(context).hasSingleBean(ReservoirDataSource.class));
    }

    @Test
    void aDataSourceOfTheApplicationWins() {
        Contexts.onPostgres()
                .withUserConfiguration(OwnDataSource.class)
                .run(context ->
                        assertThat(context).hasSingleBean(DataSource.class).hasSingleBean(PGSimpleDataSource.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnDataSource {
        @Bean
        PGSimpleDataSource own() {
            return new PGSimpleDataSource();
        }
    }

    @Test
    void connectionDetailsComeBeforeProperties() {
        Contexts.bare()
                .withUserConfiguration(BootLine.ConnectionDetails.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://nowhere.invalid/none",
                        "spring.datasource.username=nobody",
                        "spring.datasource.hikari.password=wrong",
                        "spring.datasource.reservoir.max-open=1")
                .run(context -> assertThat(
                                context.getBean(JdbcTemplate.class).queryForObject("select current_user", String.class))
                        .isEqualTo(TestDatabase.USER));
    }

    @Test
    void connectionDetailsNeedNoUrl() {
        Contexts.bare()
                .withUserConfiguration(BootLine.ConnectionDetails.class)
                .withPropertyValues("spring.datasource.reservoir.max-open=1")
                .run(context -> assertThat(context).hasSingleBean(ReservoirDataSource.class));
    }

    @Test
    void aDataSourceClassNeedsNoUrl() {
        Contexts.bare()
                .withPropertyValues(
                        "spring.datasource.reservoir.data-source-class-name=" + PGSimpleDataSource.class.getName(),
                        "spring.datasource.reservoir.driver-properties.url=" + TestDatabase.url(),
                        "spring.datasource.username=" + TestDatabase.USER,
                        "spring.datasource.password=" + TestDatabase.password(),
                        "spring.datasource.reservoir.max-open=1")
                .run(context -> assertThat(
                                context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                        .isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "jdbc:postgresql://nowhere.invalid/none"})
    void aDataSourceClassOfHikariGoesBeforeTheUrl(String url) {
        Contexts.bare()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.data-source-class-name=" + PGSimpleDataSource.class.getName(),
                        "spring.datasource.hikari.data-source-properties.url=" + TestDatabase.url(),
                        "spring.datasource.username=" + TestDatabase.USER,
                        "spring.datasource.password=" + TestDatabase.password(),
                        "spring.datasource.hikari.maximum-pool-size=1")
                .run(context -> assertThat(
                                context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                        .isEqualTo(1));
    }

    @Test
    void settingsOfHikariAreTakenOverAndUsed() {
        try (LogLines log = new LogLines()) {
            Contexts.onPostgres()
                    .withPropertyValues(
                            "spring.datasource.hikari.minimum-idle=1",
                            "spring.datasource.hikari.data-source-properties.ApplicationName=taken-over")
                    .run(context -> {
                        assertThat(context.getBean(ReservoirDataSource.class).getTargetReady())
                                .isEqualTo(1);
                        assertThat(context.getBean(JdbcTemplate.class)
                                        .queryForObject("show application_name", String.class))
                                .isEqualTo("taken-over");
                    });
            assertThat(log.startingWith("INFO Reservoir: spring.datasource.hikari.minimum-idle"))
                    .singleElement()
                    .asString()
                    .contains("spring.datasource.reservoir.target-ready=1");
        }
    }

    @Test
    void aCustomizerComesLast() {
        Contexts.onPostgres()
                .withBean(ReservoirDataSourceCustomizer.class, () -> builder -> builder.maxOpen(2))
                .run(context -> assertThat(
                                context.getBean(ReservoirDataSource.class).getMaxOpen())
                        .isEqualTo(2));
    }
}
