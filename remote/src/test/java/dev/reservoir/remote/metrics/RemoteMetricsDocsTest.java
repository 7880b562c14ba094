package dev.reservoir.remote.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The page of the metrics says what the table in the code says. After a change, write it again:
 *
 * <pre>
 * mvn -pl remote -am test -Dtest=RemoteMetricsDocsTest -Dsurefire.failIfNoSpecifiedTests=false -Dregenerate
 * </pre>
 */
class RemoteMetricsDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "remote-commands.md");
    private static final String BEGIN = "<!-- metrics -->\n";
    private static final String END = "\n<!-- end -->";

    @Test
    void thePageIsUpToDate() throws IOException {
        String page = Files.readString(PAGE);
        int from = page.indexOf(BEGIN) + BEGIN.length();
        int to = page.indexOf(END, from);
        assertThat(from).isGreaterThan(BEGIN.length());
        assertThat(to).isGreaterThanOrEqualTo(from);
        String wanted = page.substring(0, from) + table() + page.substring(to);
        if (System.getProperty("regenerate") != null) {
            Files.writeString(PAGE, wanted);
        } else {
            assertThat(page)
                    .as("%s; write it again, RemoteMetricsDocsTest says how", PAGE)
                    .isEqualTo(wanted);
        }
    }

    private static String table() {
        List<String> lines = new ArrayList<>();
        lines.add("\n| metric | type | unit | labels | meaning |");
        lines.add("|---|---|---|---|---|");
        for (RemoteMetric metric : RemoteMetric.values()) {
            lines.add("| `" + metric.metricName() + "` | "
                    + metric.type().name().toLowerCase(Locale.ROOT) + " | " + metric.unit() + " | " + labels(metric)
                    + " | " + metric.help() + " |");
        }
        return String.join("\n", lines) + "\n";
    }

    private static String labels(RemoteMetric metric) {
        return metric.labels().entrySet().stream()
                .map(RemoteMetricsDocsTest::label)
                .collect(Collectors.joining("; "));
    }

    private static String label(Map.Entry<String, List<String>> label) {
        String values =
                label.getValue().stream().map(value -> "`" + value + "`").collect(Collectors.joining(", "));
        return "`" + label.getKey() + "`" + (values.isEmpty() ? "" : ": " + values);
    }
}
