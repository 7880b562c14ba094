package dev.reservoir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of the cluster benchmarks, whose contenders are not pools and whose bars depend on the setting. */
class ClusterTableTest {

    private static final String OURS = "Reservoir";
    private static final String GO = "Go, modelled";

    @Test
    void showsTheSidesBesideEachOtherWithTheBarAndTheRatioToIt() {
        assertThat(table(writes(OURS, 0.125), writes("Reservoir, Go's items", 2.5), writes(GO, 16.4)))
                .contains("| Reservoir | Reservoir, Go's items | Go, modelled | bar |")
                .contains("closed | low | 0.13 | 2.50 (0.05×) | 16.4 (0.01×) | ≤ 0.50: met (0.25×) |");
    }

    @Test
    void aBarThatIsMissedStandsOut() {
        assertThat(table(full("40 x 50", 12e9))).contains("| 12.0 s | ≤ 11.0 s: **missed** (1.09×) |");
    }

    @Test
    void aTimeThatDidNotComeHasNoRatio() {
        assertThat(table(full("40 x 50", Double.POSITIVE_INFINITY))).contains("| never | ≤ 11.0 s: **missed** |");
    }

    @Test
    void whatHasNoBarIsNotJudged() {
        assertThat(table(full("3 x 3", 1e9))).contains("| 1.00 s |  |");
    }

    @Test
    void takesTheMedianOfRepeatedRuns() {
        assertThat(table(writes(GO, 1), writes(GO, 9), writes(GO, 3))).contains("| 3.00, 1.00 to 9.00 |");
    }

    @Test
    void aValueComesBackFromItsLine() {
        Measurement measurement = full("40 x 50", 1.5e9);
        assertThat(Measurement.ofLine(measurement.toLine())).isEqualTo(measurement);
    }

    private static String table(Measurement... measurements) {
        return new ResultTable(List.of(measurements)).toMarkdown();
    }

    private static Measurement writes(String side, double value) {
        return new Measurement(
                "cluster fill",
                "40 x 100, x",
                "item writes per connection opened and closed",
                Unit.FACTOR,
                Better.LOWER,
                side,
                value);
    }

    private static Measurement full(String setting, double nanos) {
        return new Measurement("cluster fill", setting + ", x", "time to full", Unit.NANOS, Better.LOWER, OURS, nanos);
    }
}
