package dev.reservoir.sim.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.scenario.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScenarioWriterTest {
    private static void assertReadBack(Scenario scenario) {
        String yaml = ScenarioWriter.toYaml(scenario);
        assertThat(Reading.read(scenario.name() + ".yaml", yaml, null)).as(yaml).isEqualTo(scenario);
    }

    @ParameterizedTest
    @MethodSource("dev.reservoir.sim.file.Scenarios#names")
    void everyScenarioThatComesWithTheSimulatorIsReadBackTheSame(String name) {
        assertReadBack(Scenarios.named(name));
    }

    @Test
    void randomScenariosAreReadBackTheSame() {
        for (long seed = 1; seed <= 500; seed++) {
            assertReadBack(RandomFile.scenario(seed));
        }
    }

    @Test
    void defaultsAreNotWritten() {
        assertThat(ScenarioWriter.toYaml(Reading.read(Reading.ONE_SERVICE))).isEqualTo("services:\n  - {name: a}\n");
    }

    @Test
    void stabilityWithoutConvergenceIsWrittenDown() {
        String text = "assertConvergeWithin: none\nassertStableFor: 5s\n" + Reading.ONE_SERVICE;
        assertThat(ScenarioWriter.toYaml(Reading.read(text)))
                .startsWith("assertConvergeWithin: none\nassertStableFor: 5s\n");
        assertThat(ScenarioWriter.toYaml(Reading.read("assertConvergeWithin: none\n" + Reading.ONE_SERVICE)))
                .startsWith("assertConvergeWithin: none\n\nservices:");
    }

    @Test
    void aFileIsSmallAndReadable() {
        Scenario scenario = Reading.read("""
                seed: 7
                duration: 5m
                endpoint: two words
                database: {cap: 100, handshake: {median: 30ms, p99: 200ms}}
                assertStableFor: none
                assertMinUsableShare: 0.95
                defaults: {instances: 3, guardWindow: 5s}
                services:
                  - {name: a, workload: {enabled: true, maxInUse: 3, holdTime: 5ms, holdJitter: 5ms}}
                  - name: b
                    targetReady: 10
                    maxOpen: 20
                    connectTimeout: 3s
                    opensInFlightMax: 9
                    keepalive: 0s
                    refillPacing: off
                    workload: {arrivals: recorded, times: [1, 2.5, 1m], hold: {mean: 3ms}}
                scenario: {kind: mass_drop, dropAt: 1m}
                faults: [{at: 30s, kind: crash, services: b}]
                """);
        assertThat(ScenarioWriter.toYaml(scenario)).isEqualTo("""
                        seed: 7
                        endpoint: "two words"
                        duration: 5m
                        database: {cap: 100, handshake: {median: 30ms, p99: 200ms}}
                        assertStableFor: none
                        assertMinUsableShare: 0.95

                        defaults:
                          instances: 3
                          guardWindow: 5s

                        services:
                          - {name: a, workload: {enabled: true, maxInUse: 3, hold: 5ms..10ms}}
                          - name: b
                            targetReady: 10
                            maxOpen: 20
                            connectTimeout: 3s
                            opensInFlightMax: 9
                            keepalive: 0s
                            refillPacing: off
                            workload: {arrivals: recorded, times: [1s, 2.5s, 1m], hold: {mean: 3ms}}

                        faults:
                          - {at: 30s, kind: crash, services: [b]}
                          - {at: 1m, kind: drop, fraction: 0.5}
                        """);
    }
}
