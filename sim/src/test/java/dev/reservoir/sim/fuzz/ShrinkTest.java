package dev.reservoir.sim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ShrinkTest {
    /** A scenario with three services and at least four faults, a drop among them. */
    private static Scenario large() {
        for (long seed = 1; ; seed++) {
            Scenario scenario = RandomScenario.of(seed);
            if (scenario.services().size() == 3 && scenario.faults().size() >= 4 && hasDrop(scenario)) {
                return scenario;
            }
        }
    }

    private static boolean hasDrop(Scenario scenario) {
        return scenario.faults().stream().anyMatch(f -> f.kind() == FaultKind.DROP);
    }

    @Test
    void leavesOnlyWhatTheFailureNeeds() {
        Scenario small = Shrink.shrink(large(), ShrinkTest::hasDrop);
        assertThat(small.faults()).hasSize(1);
        assertThat(small.services()).hasSize(1);
        assertThat(small.services().get(0).pool().targetReady()).isEqualTo(1);
        assertThat(small.services().get(0).instances()).isEqualTo(1);
        assertThat(small.services().get(0).workload()).isEqualTo(ScenarioKeys.defaults(Workload.class));
        assertThat(small.coordinator().leaseLimit()).isZero();
        assertThat(small.duration()).isGreaterThan(small.faults().get(0).at());
        assertThat(small.seed()).isEqualTo(large().seed());
    }

    @Test
    void leavesWhatCannotBeMadeSmaller() {
        Scenario scenario = large();
        assertThat(Shrink.shrink(scenario, candidate -> false)).isEqualTo(scenario);
    }

    @Test
    void comesToAnEnd() {
        int[] runs = {0};
        Scenario small = Shrink.shrink(large(), candidate -> {
            runs[0]++;
            return true;
        });
        assertThat(runs[0]).isLessThanOrEqualTo(400);
        assertThat(small.duration()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(4));
    }
}
