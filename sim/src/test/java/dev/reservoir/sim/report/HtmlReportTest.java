package dev.reservoir.sim.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
    private static final Scenario BUSY = Examples.busy("busy", 2);
    private static final Outcome RESERVOIR = Examples.run(BUSY, PoolKind.RESERVOIR);
    private static final Outcome PLAIN = Examples.run(BUSY, PoolKind.PLAIN);

    @Test
    void theSameOutcomesGiveTheSameBytes() {
        Outcome again = Examples.run(BUSY, PoolKind.RESERVOIR);

        assertThat(Examples.page(again, PLAIN)).isEqualTo(Examples.page(RESERVOIR, PLAIN));
    }

    @Test
    void everyServiceComesWithItsSeriesAndItsFigures() {
        Json run = data(Examples.page(RESERVOIR)).get("runs").items().get(0);

        assertThat(run.get("services").items()).hasSize(4);
        for (int i = 0; i < 4; i++) {
            int service = i;
            List<Sample> samples = OutcomeSummary.byService(RESERVOIR).get(i);
            Sample last = RESERVOIR.last().get(i);
            Json written = run.get("services").items().get(service);
            assertThat(written.get("name").text()).isEqualTo(last.service());
            assertThat(written.get("end").get("opened").number()).isEqualTo(last.refills());
            assertThat(written.get("series").get("ready").series())
                    .containsExactlyElementsOf(
                            samples.stream().map(s -> (long) s.ready()).toList());
            assertThat(written.get("series").get("checkouts").series().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(last.checkouts());
        }
        assertThat(run.get("timesMs").series()).hasSize(120).startsWith(1_000L).endsWith(120_000L);
    }

    @Test
    void verdictsMarksLimitsAndFactsAreThere() {
        Json run = data(Examples.page(RESERVOIR)).get("runs").items().get(0);

        assertThat(run.get("verdicts").items()).hasSameSizeAs(RESERVOIR.verdicts());
        assertThat(run.get("verdicts").items().get(0).get("found").text())
                .isEqualTo(RESERVOIR.verdicts().get(0).found());
        assertThat(run.get("marks").items()).hasSameSizeAs(RESERVOIR.marks()).isNotEmpty();
        assertThat(run.get("limits").get("cap").number()).isEqualTo(300);
        assertThat(run.get("limits").get("share").text()).isEqualTo("0.4");
        assertThat(run.get("facts").get("Fleet").text())
                .isEqualTo("4 services, 7 processes, 175 connections as target");
        assertThat(run.get("measures").items().stream().map(m -> m.get("name").text()))
                .contains("converged", "connects", "refused", "empties", "p999", "smallestShare");
    }

    @Test
    void whatPeopleWriteIntoAScenarioCannotBreakThePage() {
        String page = Examples.page(Examples.run(Examples.busy(Examples.NASTY, 1), PoolKind.RESERVOIR));

        assertThat(data(page).get("title").text()).isEqualTo(Examples.NASTY);
        assertThat(page).contains("<title>&lt;/script&gt;&lt;b&gt;&amp;amp;\"' - ");
        assertThat(page.split("</script", -1)).as("the ends of its own scripts").hasSize(4);
    }

    @Test
    void thePageAsksForNothing() {
        String page = Examples.page(RESERVOIR);

        assertThat(page).contains("Content-Security-Policy").contains("default-src 'none'");
        assertThat(page).doesNotContain("sourceMappingURL").doesNotContainIgnoringCase("@import");
        assertThat(Pattern.compile("<[a-z]+ [^>]*(src|href)=\"(?!data:)")
                        .matcher(page)
                        .find())
                .isFalse();
    }

    @Test
    void theNoticesOfTheLibrariesAreKept() {
        assertThat(Examples.page(RESERVOIR)).contains("Chart.js v4").contains("Released under the MIT License");
    }

    @Test
    void anHourOfFortyFourServicesStaysSmall() {
        String page = Examples.page(Noise.outcome(44, 3_600));

        assertThat(page.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(3_100_000);
        Json run = data(page).get("runs").items().get(0);
        assertThat(run.get("timesMs").series()).hasSizeBetween(200, 1_500).endsWith(3_600_000L);
    }

    @Test
    void aSeriesHasAtMostFifteenHundredPoints() {
        Json run =
                data(Examples.page(Noise.outcome(1, 3_600))).get("runs").items().get(0);

        assertThat(run.get("timesMs").series()).hasSize(1_200);
        assertThat(run.get("seconds").get("points").number()).isEqualTo(1_200);
    }

    @Test
    void outcomesAreToldApartByWhatDiffers() {
        Outcome otherSeed = Examples.run(BUSY.withSeed(5), PoolKind.RESERVOIR);
        Outcome otherName = Examples.run(Examples.busy("calm", 1), PoolKind.RESERVOIR);

        assertThat(Labels.of(List.of(RESERVOIR))).containsExactly("busy");
        assertThat(Labels.of(List.of(RESERVOIR, PLAIN))).containsExactly("reservoir", "plain");
        assertThat(Labels.of(List.of(RESERVOIR, otherSeed))).containsExactly("seed 42", "seed 5");
        assertThat(Labels.of(List.of(RESERVOIR, otherName))).containsExactly("busy", "calm");
        assertThat(Labels.of(List.of(RESERVOIR, otherName, PLAIN)))
                .containsExactly("busy, reservoir", "calm, reservoir", "busy, plain");
        assertThat(Labels.of(List.of(RESERVOIR, RESERVOIR))).containsExactly("busy (1)", "busy (2)");
        assertThat(Labels.title(List.of(RESERVOIR, PLAIN))).isEqualTo("busy: reservoir, plain");
        assertThat(Labels.title(List.of(RESERVOIR, otherName))).isEqualTo("busy and calm");
    }

    @Test
    void numbersHaveTheSameDigitsOnEveryJava() {
        assertThat(Figures.fixed(100, 6).toPlainString()).isEqualTo("100");
        assertThat(Figures.fixed(0.95, 6).toPlainString()).isEqualTo("0.95");
        assertThat(Figures.fixed(2.0E-3, 6).toPlainString()).isEqualTo("0.002");
        assertThat(Figures.fixed(1.0 / 3, 6).toPlainString()).isEqualTo("0.333333");
        assertThat(Figures.fixed(0, 6).toPlainString()).isEqualTo("0");
    }

    @Test
    void aReportOfNothingIsRefused() {
        assertThatThrownBy(() -> HtmlReport.write(List.of(), new StringBuilder()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one");
    }

    private static Json data(String page) {
        Matcher data = Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL)
                .matcher(page);
        assertThat(data.find()).isTrue();
        return Json.read(data.group(1));
    }
}
