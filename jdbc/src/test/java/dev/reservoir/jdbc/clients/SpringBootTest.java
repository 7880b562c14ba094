package dev.reservoir.jdbc.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.jdbc.DataSourceBuilder;

/** Spring Boot, which configures a data source by its setters and binds properties to them. */
class SpringBootTest {
    private static final String PREFIX = "spring.datasource.reservoir";

    /** Binds properties as Spring Boot does for a bean with {@code @ConfigurationProperties}. */
    private static void bind(ReservoirDataSource dataSource, Map<String, String> properties) {
        MapConfigurationPropertySource source = new MapConfigurationPropertySource();
        properties.forEach((key, value) -> source.put(PREFIX + "." + key, value));
        new Binder(source).bind(PREFIX, Bindable.ofInstance(dataSource));
    }

    private static ReservoirDataSource built() {
        return DataSourceBuilder.create()
                .type(ReservoirDataSource.class)
                .driverClassName("org.postgresql.Driver")
                .url(TestPostgres.urlWithoutUser())
                .username(TestPostgres.USER)
                .password(TestPostgres.password())
                .build();
    }

    @Test
    void theBuilderMakesADataSourceThatStartsWithItsFirstConnection() throws SQLException {
        try (ReservoirDataSource dataSource = built()) {
            assertThat(dataSource.isRunning()).isFalse();
            assertThat(dataSource.getUsername()).isEqualTo(TestPostgres.USER);

            assertThat(ask(dataSource, "select current_user")).isEqualTo(TestPostgres.USER);
        }
    }

    @Test
    void propertiesAreBoundToSettersOfEveryKind() throws SQLException {
        try (ReservoirDataSource dataSource = built()) {
            bind(
                    dataSource,
                    Map.of(
                            "name", "bound",
                            "max-open", "4",
                            "target-ready", "2",
                            "low-watermark", "1",
                            "base-lifetime", "10m",
                            "acquire-timeout", "PT2S",
                            "connection-rate-limit", "12.5",
                            "connection-burst-limit", "5",
                            "validation", "idle",
                            "driver-properties.ApplicationName", "bound-by-spring"));
            bind(dataSource, Map.of("exhaustion", "overflow", "tracks-checkouts", "true", "jmx", "false"));

            assertThat(dataSource.getMaxOpen()).isEqualTo(4);
            assertThat(dataSource.getTargetReady()).isEqualTo(2);
            assertThat(dataSource.getLowWatermark()).isEqualTo(1);
            assertThat(dataSource.getBaseLifetime()).isEqualTo("10m0s");
            assertThat(dataSource.getAcquireTimeout()).isEqualTo("2s");
            assertThat(dataSource.getConnectionRateLimit()).isEqualTo(12.5);
            assertThat(dataSource.getConnectionBurstLimit()).isEqualTo(5);
            assertThat(dataSource.getValidation()).isEqualTo(Validation.IDLE);
            assertThat(dataSource.getExhaustion()).isEqualTo(Exhaustion.OVERFLOW);
            assertThat(dataSource.isTracksCheckouts()).isTrue();
            assertThat(dataSource.isJmx()).isFalse();
            dataSource.start();
            assertThat(ask(dataSource, "show application_name")).isEqualTo("bound-by-spring");
            assertThat(dataSource.stats().targets().maxOpen()).isEqualTo(4);
        }
    }

    @Test
    void settingsOfConnectionsAndClassNamesAreBound() throws SQLException {
        try (ReservoirDataSource dataSource = built()) {
            bind(
                    dataSource,
                    Map.of(
                            "auto-commit", "false",
                            "read-only", "true",
                            "transaction-isolation", "TRANSACTION_REPEATABLE_READ",
                            "schema", "public",
                            "connection-init-sql", "set application_name = 'bound'",
                            "leak-detection-threshold", "20s",
                            "error-rule", OneRule.class.getName(),
                            "max-open", "1"));
            bind(dataSource, Map.of("thread-factory", OneFactory.class.getName(), "abandoned-timeout", "5m"));

            try (Connection connection = dataSource.getConnection()) {
                assertThat(connection.getAutoCommit()).isFalse();
                assertThat(connection.isReadOnly()).isTrue();
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            }
            assertThat(ask(dataSource, "show application_name")).isEqualTo("bound");
            assertThat(dataSource.getErrorRule()).isEqualTo(OneRule.class.getName());
            assertThat(dataSource.getLeakDetectionThreshold()).isEqualTo("20s");
            assertThat(dataSource.getAbandonedTimeout()).isEqualTo("5m0s");
        }
    }

    /** A property names this class. */
    public static final class OneRule implements ErrorRule {
        @Override
        public boolean isBad(SQLException error) {
            return false;
        }
    }

    /** A property names this class. */
    public static final class OneFactory implements ThreadFactory {
        @Override
        public Thread newThread(Runnable task) {
            return new Thread(task);
        }
    }

    @Test
    void aDataSourceIsBoundFromPropertiesAlone() throws SQLException {
        MapConfigurationPropertySource source = new MapConfigurationPropertySource(Map.of(
                "orders.url",
                TestPostgres.urlWithoutUser(),
                "orders.username",
                TestPostgres.USER,
                "orders.password",
                TestPostgres.password(),
                "orders.max-open",
                "2",
                "orders.base-lifetime",
                "10m"));
        try (ReservoirDataSource dataSource =
                new Binder(source).bind("orders", ReservoirDataSource.class).get()) {
            assertThat(dataSource.getMaxOpen()).isEqualTo(2);
            assertThat(ask(dataSource, "select 'tea'")).isEqualTo("tea");
        }
    }

    @Test
    void aValueThatCannotBeReadIsRefusedWithItsKey() {
        try (ReservoirDataSource dataSource = built()) {
            assertThatThrownBy(() -> bind(dataSource, Map.of("base-lifetime", "soon")))
                    .isInstanceOf(BindException.class)
                    .rootCause()
                    .hasMessageContaining("baseLifetime is \"soon\"; allowed:");
        }
    }

    private static String ask(ReservoirDataSource dataSource, String query) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
