package dev.reservoir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.bench.pools.PoolKind;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultTableTest {

    @TempDir
    Path folder;

    @Test
    void showsEachPeerWithOursDividedByIt() {
        assertThat(table(
                        checkout(PoolKind.RESERVOIR, 15e6),
                        checkout(PoolKind.HIKARICP, 6e6),
                        checkout(PoolKind.AGROAL, 8e6)))
                .contains("| benchmark | setting | measure | good | Reservoir | HikariCP | Agroal | bar |")
                .contains(
                        "| checkout | pool 32, threads 1 | throughput | high | 15.0 M/s | 6.00 M/s (2.50×) | 8.00 M/s (1.88×) |");
    }

    @Test
    void judgesTheBarsOnTheValuesOfTheRun() {
        assertThat(table(
                        checkout(PoolKind.RESERVOIR, 11e6),
                        checkout(PoolKind.HIKARICP, 6e6),
                        checkout(PoolKind.AGROAL, 7e6)))
                .contains("≥ 2.00 × HikariCP: **missed**, ≥ 1.50 × Agroal: met");
    }

    @Test
    void aBarWithoutItsPeerIsNotJudged() {
        assertThat(table(checkout(PoolKind.RESERVOIR, 11e6), checkout(PoolKind.AGROAL, 7e6)))
                .contains("≥ 2.00 × HikariCP: not measured, ≥ 1.50 × Agroal: met");
    }

    @Test
    void takesTheMedianOfRepeatedRuns() {
        assertThat(table(
                        checkout(PoolKind.HIKARICP, 9e6),
                        checkout(PoolKind.HIKARICP, 1e6),
                        checkout(PoolKind.HIKARICP, 5e6)))
                .contains("| 5.00 M/s, 1.00 M/s to 9.00 M/s |");
        assertThat(Median.of(List.of(4.0, 1.0))).isEqualTo(2.5);
    }

    @Test
    void theRatiosOfRepeatedRunsAreOfTheMediansAndOfValuesOfTheSameRound() {
        assertThat(table(
                        checkout(PoolKind.RESERVOIR, 9e6),
                        checkout(PoolKind.HIKARICP, 2e6),
                        checkout(PoolKind.RESERVOIR, 3e6),
                        checkout(PoolKind.HIKARICP, 2e6),
                        checkout(PoolKind.RESERVOIR, 5e6),
                        checkout(PoolKind.HIKARICP, 4e6)))
                .contains("| 5.00 M/s, 3.00 M/s to 9.00 M/s |"
                        + " 2.00 M/s, 2.00 M/s to 4.00 M/s (2.50×, 1.25× to 4.50×) |");
    }

    @Test
    void aPoolThatMissedARoundHasNoRatiosByRound() {
        assertThat(table(
                        checkout(PoolKind.RESERVOIR, 9e6),
                        checkout(PoolKind.RESERVOIR, 3e6),
                        checkout(PoolKind.HIKARICP, 2e6)))
                .contains("| 6.00 M/s, 3.00 M/s to 9.00 M/s | 2.00 M/s (3.00×) |");
    }

    @Test
    void aTimeThatDidNotComeIsNeverAndHasNoRatio() {
        assertThat(table(fill(PoolKind.RESERVOIR, 1.93e9), fill(PoolKind.AGROAL, Double.POSITIVE_INFINITY)))
                .contains("| 1.93 s | never | ≤ 1.95 s: met (0.99×) |");
    }

    @Test
    void aPoolThatWasNotMeasuredHasADash() {
        assertThat(table(checkout(PoolKind.RESERVOIR, 1e6), fill(PoolKind.VIBUR, 7e9)))
                .contains("| fill | 1 pool of 200 | time to full | low | - | 7.00 s |");
    }

    @Test
    void nothingIsDividedByZero() {
        assertThat(table(
                        refused(PoolKind.RESERVOIR, 0), refused(PoolKind.HIKARICP, 0), refused(PoolKind.AGROAL, 5_706)))
                .contains("| 0 | 0 | 5,706 (0.00×) |");
    }

    @Test
    void valuesComeBackFromTheFileAsTheyWent() throws IOException {
        Path file = folder.resolve("results.tsv");
        Results results =
                new Results(file, new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        results.sheet("fill", "1 pool of 200", PoolKind.AGROAL)
                .lower("time to full", Unit.NANOS, Double.POSITIVE_INFINITY)
                .lower("refused", Unit.COUNT, 3);
        results.sheet("checkout", "pool 32, threads 1", PoolKind.HIKARICP)
                .higher("throughput", Unit.PER_SECOND, 6_543_210.987);
        assertThat(Results.read(file))
                .containsExactly(
                        fill(PoolKind.AGROAL, Double.POSITIVE_INFINITY),
                        new Measurement("fill", "1 pool of 200", "refused", Unit.COUNT, Better.LOWER, "Agroal", 3),
                        checkout(PoolKind.HIKARICP, 6_543_210.987));
    }

    @Test
    void aBrokenLineIsNamed() {
        assertThatThrownBy(() -> Measurement.ofLine("fill\tagroal")).hasMessageContaining("2 fields instead of 7");
    }

    @Test
    void thePageTellsMachineVersionsAndNotes() {
        assertThat(Report.page(List.of(checkout(PoolKind.HIKARICP, 6e6)), List.of("no JDK 21 or later: left out")))
                .contains("- machine: ")
                .contains("- pools: HikariCP 7.")
                .contains("- no JDK 21 or later: left out")
                .contains("| HikariCP | bar |");
    }

    private static String table(Measurement... measurements) {
        return new ResultTable(List.of(measurements)).toMarkdown();
    }

    private static Measurement checkout(PoolKind pool, double perSecond) {
        return new Measurement(
                "checkout",
                "pool 32, threads 1",
                "throughput",
                Unit.PER_SECOND,
                Better.HIGHER,
                pool.title(),
                perSecond);
    }

    private static Measurement fill(PoolKind pool, double nanos) {
        return new Measurement("fill", "1 pool of 200", "time to full", Unit.NANOS, Better.LOWER, pool.title(), nanos);
    }

    private static Measurement refused(PoolKind pool, double count) {
        return new Measurement("fleet", "10 pools of 200", "refused", Unit.COUNT, Better.LOWER, pool.title(), count);
    }
}
