package dev.reservoir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.bench.report.Unit;
import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTableTest {

    @Test
    void showsTheSidesBesideEachOtherWithTheBarAndTheRatioToIt() {
        assertThat(table(
                        writes(MeasuredSide.RESERVOIR, 0.125),
                        writes(MeasuredSide.COMPATIBLE, 2.5),
                        writes(MeasuredSide.GO, 16.4)))
                .contains("| Reservoir | Reservoir, Go's items | Go, modelled | bar | of the bar |")
                .contains("closed | 0.13 | 2.50 | 16.4 | ≤ 0.50: met | 0.25 |");
    }

    @Test
    void aBarThatIsMissedStandsOut() {
        assertThat(table(full("40 x 50", 12e9))).contains("| 12.0 s | - | - | ≤ 11.0 s: **missed** | 1.09 |");
    }

    @Test
    void aTimeThatDidNotComeHasNoRatio() {
        assertThat(table(full("40 x 50", Double.POSITIVE_INFINITY)))
                .contains("never | - | - | ≤ 11.0 s: **missed** | - |");
    }

    @Test
    void whatHasNoBarIsNotJudged() {
        assertThat(table(full("3 x 3", 1e9))).contains("| 1.00 s | - | - |  |  |");
    }

    @Test
    void takesTheMedianOfRepeatedRuns() {
        assertThat(table(writes(MeasuredSide.GO, 1), writes(MeasuredSide.GO, 9), writes(MeasuredSide.GO, 3)))
                .contains("| 3.00 |");
    }

    @Test
    void aFigureComesBackFromItsLine() {
        Figure figure = full("40 x 50", 1.5e9);
        assertThat(Figure.ofLine(figure.toLine())).isEqualTo(figure);
        assertThatThrownBy(() -> Figure.ofLine("fill\tgo")).hasMessageContaining("2 fields instead of 6");
        assertThatThrownBy(() -> MeasuredSide.byId("rust")).hasMessageContaining("allowed: reservoir, compatible, go");
    }

    private static String table(Figure... figures) {
        return new FigureTable(List.of(figures)).toMarkdown();
    }

    private static Figure writes(MeasuredSide side, double value) {
        return new Figure(
                "fill", "40 x 100, x", "item writes per connection opened and closed", Unit.FACTOR, side, value);
    }

    private static Figure full(String setting, double nanos) {
        return new Figure("fill", setting + ", x", "time to full", Unit.NANOS, MeasuredSide.RESERVOIR, nanos);
    }
}
