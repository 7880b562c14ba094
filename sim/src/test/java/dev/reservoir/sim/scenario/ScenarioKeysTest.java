package dev.reservoir.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScenarioKeysTest {
    @Test
    void everyDefaultIsAllowed() {
        ScenarioKeys.all().forEach(ScenarioKeysTest::assertDefaultIsAllowed);
    }

    private static <T> void assertDefaultIsAllowed(Key<?, T> key) {
        T value = key.otherwise(new Values());
        // A key that a file must contain has no default that anything uses.
        if (!key.isStructure() && key.missing().isEmpty() && value != null) {
            assertThat(key.type().parse(key.type().format(value)))
                    .as(key.name())
                    .isEqualTo(value);
        }
    }

    @Test
    void noTwoKeysOfASectionHaveTheSameName() {
        assertThat(ScenarioKeys.SECTIONS)
                .allSatisfy(section -> assertThat(section.names()).doesNotHaveDuplicates());
    }

    @Test
    void aCopyDiffersInOneValue() {
        Pool usual = ScenarioKeys.defaults(Pool.class);
        Pool larger = usual.with(ScenarioKeys.MAX_OPEN, 60);
        assertThat(larger.maxOpen()).isEqualTo(60);
        assertThat(larger.with(ScenarioKeys.MAX_OPEN, usual.maxOpen())).isEqualTo(usual);
    }

    @Test
    void aValueOfServicesIsChangedInEveryService() {
        Service a = ScenarioKeys.defaults(Service.class).with(ScenarioKeys.SERVICE_NAME, "a");
        Scenario scenario = ScenarioKeys.defaults(Scenario.class)
                .with(ScenarioKeys.SERVICES, List.of(a, a.with(ScenarioKeys.SERVICE_NAME, "b")));
        assertThat(ScenarioKeys.TARGET_READY.varied(scenario, "7").services())
                .extracting(Service::target)
                .containsExactly(7, 7);
    }
}
