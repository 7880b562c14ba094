package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A whole application: HTTP, Flyway, transactions and the actuator, on a real PostgreSQL. */
class SampleApplicationTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext context;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Orders.class, OrderPage.class})
    static class SampleApplication {}

    @Service
    static class Orders {
        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        public int add(String item) {
            jdbc.update("insert into orders (item) values (?)", item);
            return jdbc.queryForObject("select count(*) from orders", Integer.class);
        }
    }

    @RestController
    static class OrderPage {
        private final Orders orders;

        OrderPage(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/order")
        String order() {
            return "orders: " + orders.add("tea");
        }
    }

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(SampleApplication.class)
                .properties(TestDatabase.properties())
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "spring.datasource.name=sample",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always")
                .run();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        String port = context.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .method(method, BodyPublishers.noBody())
                .build();
        return HTTP.send(request, BodyHandlers.ofString());
    }

    private static String get(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = send("GET", path);
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return response.body();
    }

    @Test
    void aRequestRunsATransactionOnTheMigratedDatabase() throws Exception {
        assertThat(get("/order")).matches("orders: [1-9]\\d*");
    }

    @Test
    void healthHasTheDatabaseAndTheReservoir() throws Exception {
        assertThat(get("/actuator/health"))
                .contains("\"database\":\"PostgreSQL\"")
                .contains("\"sample\":{\"status\":\"UP\",\"open\":3");
    }

    @Test
    void metersAreThoseOfTheReservoirAndOfSpringBoot() throws Exception {
        assertThat(get("/actuator/metrics/reservoir.connections.max")).contains("\"value\":3.0");
        assertThat(get("/actuator/metrics/reservoir.connections.creation?tag=pool:sample"))
                .contains("\"statistic\":\"COUNT\"");
        assertThat(get("/actuator/metrics/jdbc.connections.max")).contains("\"value\":3.0");
        assertThat(get("/actuator/metrics/jdbc.connections.active")).contains("\"value\":");
    }

    @Test
    void theEndpointShowsAndActs() throws Exception {
        assertThat(get("/actuator/reservoir")).contains("\"sample\":{").contains("\"maxOpen\":3");
        assertThat(get("/actuator/reservoir/sample")).contains("\"holders\":[]");
        assertThat(send("GET", "/actuator/reservoir/stock").statusCode()).isEqualTo(404);

        assertThat(send("POST", "/actuator/reservoir/sample/pause").statusCode())
                .isEqualTo(204);
        awaitReport("\"paused\":true");
        assertThat(send("POST", "/actuator/reservoir/sample/resume").statusCode())
                .isEqualTo(204);
        awaitReport("\"paused\":false");
        assertThat(send("POST", "/actuator/reservoir/sample/stop").statusCode()).isEqualTo(400);
        assertThat(get("/order")).startsWith("orders: ");
    }

    private static void awaitReport(String part) {
        Awaitility.await()
                .atMost(30, TimeUnit.SECONDS)
                .untilAsserted(
                        () -> assertThat(get("/actuator/reservoir/sample")).contains(part));
    }
}
