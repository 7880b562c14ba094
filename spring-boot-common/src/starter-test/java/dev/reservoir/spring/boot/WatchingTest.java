package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.spring.boot.watch.ReservoirEndpoint;
import dev.reservoir.spring.boot.watch.ReservoirMeters;
import dev.reservoir.spring.boot.watch.ReservoirPoolMetadata;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

/** What an application shows about its reservoirs. */
class WatchingTest {
    @Test
    void springBootKnowsTheNumbers() {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.reservoir.target-ready=2")
                .run(context -> {
                    ReservoirDataSource dataSource = context.getBean(ReservoirDataSource.class);
                    DataSourcePoolMetadata metadata = context.getBean(
                                    "reservoirPoolMetadataProvider", DataSourcePoolMetadataProvider.class)
                            .getDataSourcePoolMetadata(new LazyConnectionDataSourceProxy(dataSource));
                    assertThat(metadata).isInstanceOf(ReservoirPoolMetadata.class);
                    try (Connection connection = dataSource.getConnection()) {
                        assertThat(connection.isClosed()).isFalse();
                        assertThat(metadata.getActive()).isEqualTo(1);
                        assertThat(metadata.getMax()).isEqualTo(3);
                        assertThat(metadata.getMin()).isEqualTo(2);
                        assertThat(metadata.getUsage()).isBetween(0.33f, 0.34f);
                        Awaitility.await()
                                .atMost(30, TimeUnit.SECONDS)
                                .untilAsserted(
                                        () -> assertThat(metadata.getIdle()).isEqualTo(2));
                    }
                });
    }

    @Test
    void metersHaveTheShapeOfHikaris() {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.name=orders")
                .run(context -> {
                    MeterRegistry registry = new SimpleMeterRegistry();
                    context.getBean(ReservoirMeters.class).bindTo(registry);
                    ReservoirDataSource dataSource = context.getBean(ReservoirDataSource.class);
                    try (Connection connection = dataSource.getConnection()) {
                        assertThat(connection.isClosed()).isFalse();
                        assertThat(value(registry, "active")).isEqualTo(1);
                        // One of them may just be validated.
                        Awaitility.await()
                                .atMost(30, TimeUnit.SECONDS)
                                .untilAsserted(() ->
                                        assertThat(value(registry, "idle")).isEqualTo(2));
                    }
                    assertThat(registry.get("reservoir.connections").gauge().value())
                            .isEqualTo(3);
                    assertThat(value(registry, "max")).isEqualTo(3);
                    assertThat(value(registry, "min")).isEqualTo(3);
                    assertThat(value(registry, "pending")).isZero();
                    assertThat(registry.get("reservoir.connections.timeout")
                                    .tag("pool", "orders")
                                    .functionCounter()
                                    .count())
                            .isZero();
                    assertThat(registry.get("reservoir.connections.creation")
                                    .functionTimer()
                                    .count())
                            .isPositive();
                    assertThat(registry.get("reservoir.connections.creation")
                                    .functionTimer()
                                    .totalTime(TimeUnit.NANOSECONDS))
                            .isPositive();
                    assertThat(registry.find("reservoir.connections.acquire").functionTimer())
                            .isNotNull();
                    assertThat(registry.find("reservoir.connections.usage").functionTimer())
                            .isNotNull();
                });
    }

    private static double value(MeterRegistry registry, String name) {
        return registry.get("reservoir.connections." + name)
                .tag("pool", "orders")
                .gauge()
                .value();
    }

    @Test
    void healthHasDetailsAndTakesNoConnection() {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.name=orders")
                .run(context -> {
                    ReservoirDataSource dataSource = context.getBean(ReservoirDataSource.class);
                    PoolStatus health = BootLine.health(context);
                    assertThat(health.status()).isEqualTo("UP");
                    assertThat(details(health).get("open")).isEqualTo(3);
                    assertThat(details(health).get("maxOpen")).isEqualTo(3);
                    assertThat(dataSource.stats().checkouts()).isZero();

                    dataSource.pause();
                    awaitStatus(context, "OUT_OF_SERVICE");
                    dataSource.resume();
                    awaitStatus(context, "UP");
                });
    }

    @Test
    void severalDataSourcesAreAllShown() {
        Contexts.bare()
                .withUserConfiguration(TwoDataSources.class)
                .withPropertyValues(
                        "app.orders.name=orders",
                        "app.orders.url=" + TestDatabase.url(),
                        "app.orders.username=" + TestDatabase.USER,
                        "app.orders.password=" + TestDatabase.password(),
                        "app.orders.max-open=2",
                        "app.stock.name=stock",
                        "app.stock.url=" + TestDatabase.url(),
                        "app.stock.username=" + TestDatabase.USER,
                        "app.stock.password=" + TestDatabase.password(),
                        "app.stock.max-open=1")
                .run(context -> {
                    assertThat(BootLine.health(context).details()).containsOnlyKeys("orders", "stock");
                    assertThat(context.getBean(ReservoirEndpoint.class).pools())
                            .hasEntrySatisfying(
                                    "stock",
                                    stock -> assertThat(stock.maxOpen()).isEqualTo(1));
                    MeterRegistry registry = new SimpleMeterRegistry();
                    context.getBean(ReservoirMeters.class).bindTo(registry);
                    assertThat(value(registry, "max")).isEqualTo(2);
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties
    static class TwoDataSources {
        @Bean(initMethod = "start")
        @Primary
        @ConfigurationProperties("app.orders")
        ReservoirDataSource orders() {
            return new ReservoirDataSource();
        }

        @Bean(initMethod = "start")
        @ConfigurationProperties("app.stock")
        ReservoirDataSource stock() {
            return new ReservoirDataSource();
        }
    }

    @Test
    void aDatabaseThatIsAwayIsDown() {
        Contexts.bare()
                .withPropertyValues(
                        "spring.datasource.name=away",
                        "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none",
                        "spring.datasource.reservoir.initial-fill-timeout=0")
                .run(context -> awaitStatus(context, "DOWN"));
    }

    private static void awaitStatus(ApplicationContext context, String status) {
        Awaitility.await()
                .atMost(30, TimeUnit.SECONDS)
                .untilAsserted(
                        () -> assertThat(BootLine.health(context).status()).isEqualTo(status));
    }

    @Test
    void withoutAReservoirTheHealthIsUnknown() {
        Contexts.bare()
                .run(context -> assertThat(BootLine.health(context).status()).isEqualTo("UNKNOWN"));
    }

    private static Map<?, ?> details(PoolStatus health) {
        return (Map<?, ?>) health.details().get("orders");
    }

    @Test
    void theEndpointShowsHoldersAndActs() {
        Contexts.onPostgres()
                .withPropertyValues(
                        "spring.datasource.name=orders", "spring.datasource.reservoir.tracks-checkouts=true")
                .run(context -> {
                    ReservoirEndpoint endpoint = context.getBean(ReservoirEndpoint.class);
                    ReservoirDataSource dataSource = context.getBean(ReservoirDataSource.class);
                    try (Connection connection = dataSource.getConnection()) {
                        assertThat(connection.isClosed()).isFalse();
                        assertThat(endpoint.pools()).containsOnlyKeys("orders");
                        assertThat(endpoint.pools().get("orders").inUse()).isEqualTo(1);
                        assertThat(endpoint.pool("orders").holders())
                                .singleElement()
                                .asString()
                                .contains(Thread.currentThread().getName());
                    }
                    assertThat(endpoint.pool("stock")).isNull();
                    endpoint.act("orders", "pause");
                    Awaitility.await()
                            .atMost(30, TimeUnit.SECONDS)
                            .until(() -> endpoint.pool("orders").pool().paused());
                    endpoint.act("orders", "resume");
                    Awaitility.await()
                            .atMost(30, TimeUnit.SECONDS)
                            .until(() -> !endpoint.pool("orders").pool().paused());
                    endpoint.act("orders", "evict");
                    Awaitility.await()
                            .atMost(30, TimeUnit.SECONDS)
                            .untilAsserted(() ->
                                    assertThat(dataSource.stats().opened()).isGreaterThanOrEqualTo(6));
                    assertThatThrownBy(() -> endpoint.act("orders", "stop"))
                            .isInstanceOf(InvalidEndpointRequestException.class)
                            .hasMessage("action is \"stop\"; allowed: evict, pause, resume");
                    assertThatThrownBy(() -> endpoint.act("stock", "pause"))
                            .hasMessage("name is \"stock\"; allowed: orders");
                });
    }
}
