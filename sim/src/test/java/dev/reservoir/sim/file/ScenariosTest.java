package dev.reservoir.sim.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Service;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("exhaustive")
class ScenariosTest {
    private static final Duration TEN_THOUSAND_SHORTENED = Duration.ofMinutes(3);

    /** The production engine meets the expectations of each scenario. */
    @ParameterizedTest
    @MethodSource("dev.reservoir.sim.file.Scenarios#names")
    void everyScenarioHoldsWithTheEngine(String name) {
        Scenario scenario = Scenarios.named(name);
        if (name.equals("ten-thousand")) {
            scenario = scenario.withDuration(TEN_THOUSAND_SHORTENED);
        }
        Outcome outcome = Simulation.run(scenario, PoolKind.RESERVOIR, Simulation.Progress.NONE);
        assertThat(outcome.passed())
                .as(() -> outcome.verdicts().stream().map(Object::toString).collect(Collectors.joining("\n")))
                .isTrue();
        assertThat(outcome.verdicts()).hasSizeGreaterThanOrEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("dev.reservoir.sim.file.Scenarios#names")
    void everyScenarioSaysInOneLineWhatItIsAbout(String name) {
        assertThat(Scenarios.text(name)).startsWith("# ").endsWith("\n").doesNotContain("\r", "\t");
        assertThat(Scenarios.about(name)).hasSizeBetween(40, 130).endsWith(".").doesNotStartWith("#");
        assertThat(Scenarios.named(name).name()).isEqualTo(name);
    }

    @Test
    void aNameThatIsNotKnownIsRefusedWithTheNearest() {
        assertThatThrownBy(() -> Scenarios.named("massdrop"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("scenario is 'massdrop'; allowed: one of local, mass-drop, ")
                .hasMessageEndingWith("; did you mean mass-drop?");
        assertThatThrownBy(() -> Scenarios.text("../x"))
                .hasMessageStartingWith("scenario is '../x'; allowed: one of local, ");
    }

    @Test
    void theFactsOfGoesFiveAreGoes() {
        assertThat(connections("local")).isEqualTo(200);
        assertThat(connections("ecs-150wps")).isEqualTo(2_000);
        assertThat(connections("ecs-400wps")).isEqualTo(22_000);
        assertThat(Scenarios.named("ecs-150wps").services())
                .hasSize(20)
                .extracting(Service::name)
                .contains("history-1", "history-8", "matching-6", "frontend-4", "worker-2");
        assertThat(Scenarios.named("ecs-400wps").services())
                .hasSize(44)
                .extracting(Service::name)
                .contains("history-01", "history-16", "matching-16", "frontend-9", "worker-3");
        assertThat(Scenarios.named("ecs-400wps").services().get(43).startDelay())
                .isEqualTo(Duration.ofMillis(2_150));
        assertThat(Scenarios.named("ecs-400wps").expected().convergeWithin()).isEqualTo(Duration.ofMinutes(5));
        assertThat(Scenarios.named("mass-drop").faults())
                .singleElement()
                .satisfies(f -> assertThat(f.kind()).isEqualTo(FaultKind.DROP))
                .satisfies(f -> assertThat(f.at()).isEqualTo(Duration.ofMinutes(5)));
        assertThat(Scenarios.named("workload-test").services().get(3).workload().maxInUse())
                .isEqualTo(10);
        assertThat(connections("ten-thousand")).isEqualTo(10_000);
    }

    private static int connections(String name) {
        return Scenarios.named(name).services().stream()
                .mapToInt(Service::target)
                .sum();
    }

    /** Other pools do not meet them, so the scenarios can tell pools apart. */
    @Test
    void scenariosTellPoolsApart() {
        assertThat(Simulation.run(Scenarios.named("burst-expiry"), PoolKind.PLAIN, Simulation.Progress.NONE)
                        .passed())
                .isFalse();
        Outcome go = Simulation.run(Scenarios.named("workload-test"), PoolKind.GO_RESERVOIR, Simulation.Progress.NONE);
        Outcome ours = Simulation.run(Scenarios.named("workload-test"), PoolKind.RESERVOIR, Simulation.Progress.NONE);
        assertThat(ours.last().stream().mapToLong(s -> s.refills()).sum()).isEqualTo(200);
        assertThat(go.last().stream().mapToLong(s -> s.refills()).sum()).isGreaterThan(800);
    }
}
