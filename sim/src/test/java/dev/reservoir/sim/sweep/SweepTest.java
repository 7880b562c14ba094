package dev.reservoir.sim.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs one scenario with many settings. */
class SweepTest {
    private static final Scenario FILLS_IN_TIME = ScenarioChangesTest.scenario("""
            duration: 20s
            limiterPerSec: 10
            assertConvergeWithin: 6s
            services: [{name: a, targetReady: 20}]
            """);

    private static SweepResult run(Scenario scenario, String... varied) throws InterruptedException {
        return sweep(scenario, varied).run(done -> {});
    }

    private static Sweep sweep(Scenario scenario, String... varied) {
        return new Sweep(
                scenario,
                PoolKind.RESERVOIR,
                Arrays.stream(varied).map(Vary::parse).toList());
    }

    @Test
    void theSmallestIsTheFirstInTheOrderOfTheValues() throws InterruptedException {
        SweepResult result = run(FILLS_IN_TIME, "target=40,80,160", "rate=5,10,20");

        assertThat(result.combinations())
                .extracting(result::settings)
                .containsExactly(
                        "target=40, rate=5",
                        "target=40, rate=10",
                        "target=40, rate=20",
                        "target=80, rate=5",
                        "target=80, rate=10",
                        "target=80, rate=20",
                        "target=160, rate=5",
                        "target=160, rate=10",
                        "target=160, rate=20");
        assertThat(result.combinations())
                .extracting(Combination::meets)
                .containsExactly(false, true, true, false, false, true, false, false, false);
        assertThat(result.settings(result.smallest())).isEqualTo("target=40, rate=10");
        assertThat(result.meeting()).isEqualTo(3);
    }

    @Test
    void theFigureThatDecidedIsShown() throws InterruptedException {
        SweepResult result = run(FILLS_IN_TIME, "rate=2,10");

        assertThat(result.combinations())
                .extracting(c -> c.figure("assertConvergeWithin"))
                .satisfiesExactly(
                        slow -> assertThat(slow).matches("9\\.\\d\\d s !"),
                        fast -> assertThat(fast).matches("1\\.\\d\\d s"));
        assertThat(result.combinations().get(0).why())
                .startsWith("assertConvergeWithin: 9.")
                .endsWith(" s (expected every service at its target within 6.0 s, and still 5.0 s later)");
    }

    @Test
    void theSameSweepGivesTheSameBytes() throws InterruptedException, IOException {
        assertThat(texts(run(FILLS_IN_TIME, "target=10..40:10", "jitter=0s,1m")))
                .isEqualTo(texts(run(FILLS_IN_TIME, "target=10..40:10", "jitter=0s,1m")));
    }

    private static List<String> texts(SweepResult result) throws IOException {
        StringBuilder csv = new StringBuilder();
        StringBuilder json = new StringBuilder();
        StringBuilder html = new StringBuilder();
        result.writeCsv(csv);
        result.writeJson(json);
        SweepReport.write(result, html);
        return List.of(csv.toString(), json.toString(), html.toString());
    }

    @Test
    void aSettingThatCannotBeIsNotRunAndDoesNotMeet() throws InterruptedException {
        // In this order, one setting could replace the value of the other.
        SweepResult result = run(FILLS_IN_TIME, "maxOpen=20,40", "target=20,30");

        assertThat(result.combinations())
                .extracting(Combination::impossible)
                .containsExactly(null, "target 30 is more than maxOpen 20", null, null);
        assertThat(result.meeting()).isEqualTo(3);
    }

    @Test
    void progressCountsEveryCombination() throws InterruptedException {
        List<Integer> heard = Collections.synchronizedList(new ArrayList<>());

        sweep(FILLS_IN_TIME, "target=1..5").run(heard::add);

        assertThat(heard).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
    }

    @Test
    void tooManyCombinationsAreRefusedWithTheirNumber() {
        assertThatThrownBy(() -> sweep(FILLS_IN_TIME, "target=1..101", "rate=1..100"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--vary gives 10,100 combinations; allowed: at most 10,000");
        assertThat(sweep(FILLS_IN_TIME, "target=1..100", "rate=1..100").combinations())
                .isEqualTo(10_000);
    }

    @Test
    void whatMeansNothingIsRefused() {
        assertThatThrownBy(() -> sweep(FILLS_IN_TIME))
                .hasMessage("nothing to vary; allowed: --vary KEY=VALUES, once for each setting");
        assertThatThrownBy(() -> sweep(FILLS_IN_TIME, "target=1", "target=2"))
                .hasMessage("--vary target is given twice; allowed: once, with all its values separated by commas");
        assertThatThrownBy(() -> sweep(FILLS_IN_TIME, "inUse=1"))
                .hasMessage("--vary inUse: no service of test has a workload with arrivals closed");
        assertThatThrownBy(() -> sweep(FILLS_IN_TIME, "load=1"))
                .hasMessage("--vary load: no service of test has a workload with arrivals poisson or even");
    }
}
