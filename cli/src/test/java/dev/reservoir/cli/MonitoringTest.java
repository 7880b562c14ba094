package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.sun.net.httpserver.HttpServer;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.dsql.tx.Transactions;
import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.DsqlEmulator;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The alert rules, the dashboard, and the page that shows the numbers to Prometheus. {@link DocumentedNamesTest} checks
 * their names.
 */
class MonitoringTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path MONITORING = Path.of("..", "monitoring");

    @TempDir
    Path scratch = Path.of("");

    @Test
    void theAlertRulesDoWhatTheirTestsSay() throws Exception {
        Promtool promtool = Promtool.find();
        succeeds(promtool, "check", "rules", MONITORING.resolve("alerts.yml").toString());
        succeeds(
                promtool, "test", "rules", MONITORING.resolve("alerts-test.yml").toString());
    }

    @Test
    void everyAlertIsTestedExplainedAndLinked() throws IOException {
        String rules = Files.readString(MONITORING.resolve("alerts.yml"));
        String tests = Files.readString(MONITORING.resolve("alerts-test.yml"));
        String page = Files.readString(DOCS.resolve("monitoring.md"));
        List<String> sections = Files.readString(DOCS.resolve("troubleshooting.md"))
                .lines()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3)
                        .toLowerCase(Locale.ROOT)
                        .replace("'", "")
                        .replace(' ', '-'))
                .toList();
        List<String> alerts = found("- alert: (\\w+)", rules);
        assertThat(alerts).hasSizeGreaterThan(10).doesNotHaveDuplicates().allSatisfy(alert -> {
            assertThat(found("alertname: (\\w+)", tests))
                    .filteredOn(alert::equals)
                    .hasSize(2);
            assertThat(page).contains("`" + alert + "`");
        });
        assertThat(found("runbook: docs/troubleshooting.md#([a-z-]+)", rules))
                .hasSameSizeAs(alerts)
                .allSatisfy(section -> assertThat(sections).contains(section));
        assertThat(found("( summary: .+)", rules)).hasSameSizeAs(alerts);
        assertThat(found("( description: .+)", rules)).hasSameSizeAs(alerts);
    }

    @Test
    void everyPanelOfTheDashboardHasATitleAUnitAndAnExpression() throws IOException {
        List<Object> ids = new ArrayList<>();
        for (Map<?, ?> panel : panels()) {
            ids.add(panel.get("id"));
            assertThat((String) panel.get("title")).isNotBlank();
            if (!"row".equals(panel.get("type"))) {
                assertThat(panel.get("datasource")).isEqualTo(Map.of("type", "prometheus", "uid", "${datasource}"));
                assertThat((String) panel.get("description")).isNotBlank();
                assertThat(panel.toString()).containsPattern("unit=\\w+");
                assertThat((List<?>) panel.get("targets")).isNotEmpty();
            }
        }
        assertThat(ids).hasSizeGreaterThan(20).doesNotHaveDuplicates().doesNotContainNull();
    }

    /** Prometheus can read the queries after Grafana has filled in its variables. */
    @Test
    void everyExpressionOfTheDashboardIsOne() throws Exception {
        Promtool promtool = Promtool.find();
        StringBuilder rules = new StringBuilder("groups:\n  - name: dashboard\n    rules:\n");
        int count = 0;
        for (Map<?, ?> panel : panels()) {
            for (Object target : panel.get("targets") instanceof List<?> targets ? targets : List.of()) {
                String expression = String.valueOf(((Map<?, ?>) target).get("expr"))
                        .replace("$__rate_interval", "5m")
                        .replaceAll("\\$\\w+", ".*");
                rules.append("      - record: panel:n")
                        .append(count++)
                        .append("\n        expr: '")
                        .append(expression);
                rules.append("'\n");
            }
        }
        Path file = Files.writeString(scratch.resolve("dashboard.yml"), rules);
        succeeds(promtool, "check", "rules", file.toString());
    }

    @Test
    void thePageOfTheDocumentationShowsEveryNumber() throws Exception {
        Class<?> example =
                compiled(found("(?s)```java\n(import .*?)```", Files.readString(DOCS.resolve("monitoring.md")))
                        .get(0));
        Method start = example.getDeclaredMethod("start", InetSocketAddress.class);
        start.setAccessible(true);
        try (DsqlEmulator cluster =
                        DsqlEmulator.builder().backend(Backend.stub()).start();
                DsqlDataSource orders = RealMetrics.dataSource(cluster, "page-orders", Mode.RESERVOIR);
                DsqlDataSource bills = RealMetrics.dataSource(cluster, "page-bills", Mode.STANDARD);
                Transactions transactions = Transactions.on(orders).shownAs("page-orders")) {
            transactions.execute("order.place", tx -> {});
            HttpServer server =
                    (HttpServer) start.invoke(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try {
                String page = "\n" + get(server.getAddress());
                assertThat(page.lines())
                        .contains("dsql_reservoir_size{name=\"page-orders\"} 2.0")
                        .contains("dsql_reservoir_discards_total{name=\"page-orders\",reason=\"bad\"} 0.0")
                        .contains("dsql_pool_open{name=\"page-bills\"} 2.0")
                        .contains("dsql_tx_total{name=\"page-orders\",operation=\"order.place\",outcome=\"committed\"}"
                                + " 1.0");
                Stream.of(orders, bills)
                        .forEach(source -> assertThat(source.metrics().keySet())
                                .allSatisfy(
                                        key -> assertThat(page).contains("\n" + labelled(key, source.name()) + " ")));
                checkReadable(page.strip() + "\n");
            } finally {
                server.stop(0);
            }
        }
    }

    private void checkReadable(String page) throws IOException, InterruptedException {
        Optional<Promtool> promtool = Promtool.ifInstalled();
        if (promtool.isPresent()) {
            Path metrics = Files.writeString(scratch.resolve("metrics.txt"), page);
            Promtool.Answer answer = promtool.get().run(scratch.resolve("out.txt"), metrics, "check", "metrics");
            // 1: the page cannot be read. 3: the page has no help texts, which only people read.
            assertThat(answer.code()).as("%s", answer.text()).isIn(0, 3);
        }
    }

    private static String labelled(String key, String name) {
        String label = "name=\"" + name + "\"";
        return key.endsWith("}") ? key.replace("{", "{" + label + ",") : key + "{" + label + "}";
    }

    private Class<?> compiled(String source) throws Exception {
        Path file = Files.writeString(scratch.resolve("MetricsPage.java"), source);
        int code = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-Xlint:all",
                        "-Werror",
                        "-cp",
                        scratch.toString(),
                        "-d",
                        scratch.toString(),
                        file.toString());
        assertThat(code).isZero();
        URLClassLoader loader = new URLClassLoader(
                new URL[] {scratch.toUri().toURL()}, getClass().getClassLoader());
        return Class.forName("MetricsPage", true, loader);
    }

    private static String get(InetSocketAddress server) throws IOException, InterruptedException {
        URI address = URI.create("http://localhost:" + server.getPort() + "/metrics");
        HttpRequest request =
                HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(30)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private void succeeds(Promtool promtool, String... args) throws IOException, InterruptedException {
        Path empty = Files.writeString(scratch.resolve("empty.txt"), "");
        Promtool.Answer answer = promtool.run(scratch.resolve("out.txt"), empty, args);
        assertThat(answer.code()).as("%s", answer.text()).isZero();
    }

    private static List<String> found(String pattern, String text) {
        List<String> all = new ArrayList<>();
        for (Matcher found = Pattern.compile(pattern).matcher(text); found.find(); ) {
            all.add(found.group(1));
        }
        return all;
    }

    private static List<Map<?, ?>> panels() throws IOException {
        try (JsonParser parser = new JsonFactory()
                .createParser(MONITORING.resolve("dashboard.json").toFile())) {
            parser.nextToken();
            Map<?, ?> dashboard = (Map<?, ?>) value(parser);
            List<Map<?, ?>> panels = new ArrayList<>();
            ((List<?>) dashboard.get("panels")).forEach(panel -> panels.add((Map<?, ?>) panel));
            return panels;
        }
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                object.put(key, value(parser));
            }
            return object;
        }
        if (token == JsonToken.START_ARRAY) {
            List<@Nullable Object> array = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                array.add(value(parser));
            }
            return array;
        }
        return token == JsonToken.VALUE_NULL ? null : parser.getText();
    }
}
