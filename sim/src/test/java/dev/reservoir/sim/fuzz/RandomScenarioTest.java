package dev.reservoir.sim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.file.ScenarioException;
import dev.reservoir.sim.file.ScenarioReader;
import dev.reservoir.sim.file.ScenarioWriter;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import dev.reservoir.sim.scenario.Scenario.WhenAway;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RandomScenarioTest {
    private static final int SEEDS = 2_000;

    @Test
    void isWrittenToAFileAndReadBackAsItWas() throws ScenarioException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Scenario scenario = RandomScenario.of(seed);
            String yaml = ScenarioWriter.toYaml(scenario);
            assertThat(ScenarioReader.read("fuzz-" + seed + ".yaml", yaml, null))
                    .as("seed %d: %s", seed, yaml)
                    .isEqualTo(scenario);
        }
    }

    @Test
    void whatIsMadeSmallerIsReadBackAsItWasToo() throws ScenarioException {
        for (long seed = 1; seed <= SEEDS / 20; seed++) {
            int[] tried = {0};
            // Accepts every second step.
            Scenario small = Shrink.shrink(RandomScenario.of(seed), candidate -> {
                assertThat(reread(candidate)).isEqualTo(candidate);
                return ++tried[0] % 2 == 0;
            });
            assertThat(reread(small)).isEqualTo(small);
        }
    }

    private static Scenario reread(Scenario scenario) {
        try {
            return ScenarioReader.read(scenario.name() + ".yaml", ScenarioWriter.toYaml(scenario), null);
        } catch (ScenarioException e) {
            throw new AssertionError(ScenarioWriter.toYaml(scenario), e);
        }
    }

    @Test
    void isTheSameForTheSameSeed() {
        assertThat(RandomScenario.of(17)).isEqualTo(RandomScenario.of(17)).isNotEqualTo(RandomScenario.of(18));
    }

    @Test
    void hasEverythingThatCanBeSaid() {
        Set<FaultKind> faults = EnumSet.noneOf(FaultKind.class);
        Set<Arrival> arrivals = EnumSet.noneOf(Arrival.class);
        Set<Sharing> sharings = EnumSet.noneOf(Sharing.class);
        Set<WhenAway> whenAway = EnumSet.noneOf(WhenAway.class);
        Set<String> troubles = new TreeSet<>();
        for (long seed = 1; seed <= 200; seed++) {
            Scenario scenario = RandomScenario.of(seed);
            troubles.add(scenario.coordinator().clockSkew().isZero() ? "clocks are right" : "clocks are off");
            troubles.add(scenario.coordinator().loseAnswers() > 0 ? "answers get lost" : "every answer comes");
            troubles.add(scenario.coordinator().conflicts() > 0 ? "conflicts" : "no conflicts");
            scenario.faults().forEach(f -> faults.add(f.kind()));
            scenario.services().forEach(s -> arrivals.add(s.workload().arrival()));
            sharings.add(scenario.limiter().sharing());
            whenAway.add(scenario.coordinator().whenAway());
        }
        assertThat(troubles).hasSize(6);
        assertThat(faults).containsExactlyInAnyOrder(FaultKind.values());
        assertThat(arrivals).containsExactlyInAnyOrder(Arrival.values());
        assertThat(sharings).containsExactlyInAnyOrder(Sharing.values());
        assertThat(whenAway).containsExactlyInAnyOrder(WhenAway.values());
    }
}
