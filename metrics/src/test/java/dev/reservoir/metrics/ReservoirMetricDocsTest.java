package dev.reservoir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.metrics.ReservoirMetric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The page of the metrics says what the table in the code says. After a change, write it again:
 *
 * <pre>
 * mvn -pl metrics -am test -Dtest=ReservoirMetricDocsTest -Dsurefire.failIfNoSpecifiedTests=false -Dregenerate
 * </pre>
 */
class ReservoirMetricDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "monitoring.md");
    private static final String BEGIN = "<!-- metrics -->\n\n";
    private static final String END = "<!-- end -->";

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
                    .as("%s; write it again, ReservoirMetricDocsTest says how", PAGE)
                    .isEqualTo(wanted);
        }
    }

    private static String table() {
        return Arrays.stream(ReservoirMetric.values())
                .map(metric -> "| `reservoir_" + metric.key() + "` | "
                        + metric.type().name().toLowerCase(Locale.ROOT) + " | " + metric.help() + " |\n")
                .collect(Collectors.joining("", "| metric | type | meaning |\n|---|---|---|\n", "\n"));
    }
}
