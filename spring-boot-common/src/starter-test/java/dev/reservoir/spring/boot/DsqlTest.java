package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.util.Causes;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.spring.RetryingTransactionAdvisor;
import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.emulator.TokenCheck;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.spring.boot.failure.SettingFailureAnalyzer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.annotation.Transactional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** An application on Aurora DSQL, which an emulator replaces. It checks tokens down to their signature. */
class DsqlTest {
    private static final String KEY = "AKIDEXAMPLE";
    private static final String SECRET = "wJalrXUtnFEMI-EXAMPLEKEY";

    private static DsqlEmulator cluster;

    @BeforeAll
    static void start() {
        cluster = DsqlEmulator.builder()
                .backend(Backend.stub())
                .tokens(TokenCheck.signature(Map.of(KEY, SECRET)))
                .start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static ApplicationContextRunner onDsql() {
        return Contexts.bare()
                .withBean(
                        AwsCredentialsProvider.class,
                        () -> StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, SECRET)))
                .withPropertyValues(
                        "spring.datasource.reservoir.dsql.endpoint=" + cluster.endpoint(),
                        "spring.datasource.reservoir.dsql.region=us-east-1",
                        "spring.datasource.reservoir.dsql.root-certificate=" + cluster.caCertificate(),
                        "spring.datasource.reservoir.max-open=2");
    }

    @Test
    void anEndpointIsEnough() {
        onDsql().withPropertyValues("spring.datasource.name=orders").run(context -> {
            DsqlDataSource dataSource = context.getBean(DsqlDataSource.class);
            assertThat(dataSource.name()).isEqualTo("orders");
            try (Connection connection = dataSource.getConnection()) {
                assertThat(connection.isValid(10)).isTrue();
            }
            assertThat(dataSource.unwrap(ReservoirDataSource.class).getMaxOpen())
                    .isEqualTo(2);
            assertThat(BootLine.health(context).details()).containsKey("orders");
            assertThat(context).doesNotHaveBean(RetryingTransactionAdvisor.class);
        });
    }

    @Test
    void aMistakeNamesItsProperty() {
        onDsql().withPropertyValues("spring.datasource.reservoir.dsql.token-duration=8000h")
                .run(context -> assertThat(Causes.of(context.getStartupFailure()))
                        .filteredOn(SettingException.class::isInstance)
                        .first()
                        .asString()
                        .contains("spring.datasource.reservoir.dsql.token-duration is 2.88E7 s; allowed: "));
    }

    @ParameterizedTest
    @CsvSource({
        "reservoir.dsql.endpoint=https://a, reservoir.dsql.endpoint, '\"https://a\"', the host name of a cluster",
        "name=a b, name, '\"a b\"', 1 to 100 letters",
        "reservoir.name=a b, reservoir.name, '\"a b\"', 1 to 100 letters",
    })
    void aMistakeIsExplained(String property, String name, String value, String allowed) {
        assertExplained(property, name, value, allowed);
    }

    @Test
    @DisabledIfEnvironmentVariable(named = "REGION", matches = ".+")
    @DisabledIfEnvironmentVariable(named = "AWS_REGION", matches = ".+")
    void aMissingRegionIsExplained() {
        assertExplained(
                "reservoir.dsql.region=",
                "reservoir.dsql.region",
                "missing",
                "a region such as us-east-1. The endpoint");
    }

    private static void assertExplained(String property, String name, String value, String allowed) {
        onDsql().withPropertyValues("spring.datasource." + property)
                .run(context -> assertThat(new SettingFailureAnalyzer(new StandardEnvironment())
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .contains("Property: spring.datasource." + name, "Value: " + value, "Allowed: " + allowed));
    }

    @Test
    void transactionsAreRunAgainIfAPropertySaysSo() {
        onDsql().withPropertyValues("spring.datasource.reservoir.dsql.retry-transactions=true")
                .withBean(Conflicting.class)
                .run(context ->
                        assertThat(context.getBean(Conflicting.class).call()).isEqualTo(2));
    }

    /** Conflicts once. */
    static class Conflicting {
        private int calls;

        @Transactional
        public int call() {
            calls++;
            if (calls == 1) {
                throw new CannotAcquireLockException(
                        "conflict", new SQLException("change conflicts with another transaction (OC000)", "40001"));
            }
            return calls;
        }
    }
}
