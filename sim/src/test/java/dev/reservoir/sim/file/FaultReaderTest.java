package dev.reservoir.sim.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultReaderTest {
    private static List<Fault> faults(String list) {
        return Reading.read("services: [{name: a}, {name: b}]\nfaults: [" + list + "]")
                .faults();
    }

    private static List<String> mistakes(String list) {
        return Reading.mistakes("services: [{name: alpha}, {name: beta}]\nfaults: [" + list + "]");
    }

    private static Fault fault(FaultKind kind, String at) {
        return ScenarioKeys.defaults(Fault.class)
                .with(ScenarioKeys.KIND, kind)
                .with(ScenarioKeys.AT, DurationText.parse(at));
    }

    @Test
    void everyKindIsRead() {
        Duration ten = Duration.ofSeconds(10);
        assertThat(faults("""
                        {at: 1m, kind: drop, services: [a], fraction: 0.25},
                        {at: 1m, kind: restart, services: b, every: 10s, byService: true},
                        {at: 1m, kind: crash, fraction: 0.5, for: 10s},
                        {at: 1m, kind: crash},
                        {at: 1m, kind: hang, services: [b, a], for: 10s},
                        {at: 1m, kind: scale, instances: 5},
                        {at: 1m, kind: coordinator-outage, for: 10s},
                        {at: 1m, kind: token-outage, for: 10s},
                        {at: 1m, kind: hung-connects, fraction: 0.1, for: 10s},
                        {at: 1m, kind: database-outage, for: 10s},
                        {at: 1m, kind: slow-connects, for: 10s, handshake: 1s..5s}
                        """))
                .containsExactly(
                        fault(FaultKind.DROP, "1m")
                                .with(ScenarioKeys.FAULT_SERVICES, List.of("a"))
                                .with(ScenarioKeys.FRACTION, 0.25),
                        fault(FaultKind.RESTART, "1m")
                                .with(ScenarioKeys.FAULT_SERVICES, List.of("b"))
                                .with(ScenarioKeys.EVERY, ten)
                                .with(ScenarioKeys.BY_SERVICE, true),
                        fault(FaultKind.CRASH, "1m")
                                .with(ScenarioKeys.FRACTION, 0.5)
                                .with(ScenarioKeys.FOR, ten),
                        fault(FaultKind.CRASH, "1m"),
                        fault(FaultKind.HANG, "1m")
                                .with(ScenarioKeys.FAULT_SERVICES, List.of("b", "a"))
                                .with(ScenarioKeys.FOR, ten),
                        fault(FaultKind.SCALE, "1m").with(ScenarioKeys.FAULT_INSTANCES, 5),
                        fault(FaultKind.COORDINATOR_OUTAGE, "1m").with(ScenarioKeys.FOR, ten),
                        fault(FaultKind.TOKEN_OUTAGE, "1m").with(ScenarioKeys.FOR, ten),
                        fault(FaultKind.HUNG_CONNECTS, "1m")
                                .with(ScenarioKeys.FRACTION, 0.1)
                                .with(ScenarioKeys.FOR, ten),
                        fault(FaultKind.DATABASE_OUTAGE, "1m").with(ScenarioKeys.FOR, ten),
                        fault(FaultKind.SLOW_CONNECTS, "1m")
                                .with(ScenarioKeys.FOR, ten)
                                .with(
                                        ScenarioKeys.FAULT_HANDSHAKE,
                                        Latency.uniform(Duration.ofSeconds(1), Duration.ofSeconds(5))));
    }

    @Test
    void faultsAreInTheOrderOfTheirTimes() {
        assertThat(faults("{at: 9m, kind: drop}, {at: 0s, kind: crash}, {at: 9m, kind: restart}"))
                .extracting(Fault::kind)
                .containsExactly(FaultKind.CRASH, FaultKind.DROP, FaultKind.RESTART);
    }

    @Test
    void goesScenariosBecomeFaults() {
        assertThat(Reading.read(Reading.ONE_SERVICE + "scenario: {kind: cold_start, rollEvery: 1m, dropAt: 1h}")
                        .faults())
                .isEmpty();
        assertThat(Reading.read(Reading.ONE_SERVICE + "scenario: {kind: mass_drop}")
                        .faults())
                .containsExactly(fault(FaultKind.DROP, "5m").with(ScenarioKeys.FRACTION, 0.5));
        assertThat(Reading.read(Reading.ONE_SERVICE + "scenario: {kind: mass_drop, dropAt: 3m, dropFraction: 0.1}")
                        .faults())
                .containsExactly(fault(FaultKind.DROP, "3m").with(ScenarioKeys.FRACTION, 0.1));
        assertThat(Reading.read(Reading.ONE_SERVICE + "scenario: {kind: rolling_restart, rollEvery: 30s}")
                        .faults())
                .containsExactly(fault(FaultKind.RESTART, "5m")
                        .with(ScenarioKeys.EVERY, Duration.ofSeconds(30))
                        .with(ScenarioKeys.BY_SERVICE, true));
    }

    @Test
    void whatAKindNeedsMustBeThere() {
        assertThat(mistakes("{}"))
                .containsExactly(
                        "s.yaml:2:10: at is missing; allowed: when it happens, a duration since the beginning",
                        "s.yaml:2:10: kind is missing; allowed: one of drop, restart, crash, hang, scale,"
                                + " coordinator-outage, token-outage, hung-connects, database-outage, slow-connects,"
                                + " writes-throttled");
        assertThat(mistakes("{at: 1m, kind: hang}"))
                .containsExactly("s.yaml:2:10: for is missing; allowed: how long it lasts, a duration more than 0");
        assertThat(mistakes("{at: 1m, kind: scale}"))
                .containsExactly(
                        "s.yaml:2:10: instances is missing; allowed: the new number of processes of each service");
        assertThat(mistakes("{at: 1m, kind: slow-connects, for: 1s}"))
                .containsExactly(
                        "s.yaml:2:10: handshake is missing; allowed: how long connects take then, such as 2s or 1s..5s");
        assertThat(mistakes("{at: 1m, kind: token-outage, for: 0s}"))
                .containsExactly("s.yaml:2:44: for is '0s'; allowed: a duration such as 90s or 1m30s, more than 0");
    }

    @Test
    void whatAKindDoesNotKnowHasNoMeaning() {
        assertThat(mistakes("{at: 1m, kind: drop, for: 1s, every: 2s, byService: true, instances: 3, handshake: 1s}"))
                .containsExactly(
                        "s.yaml:2:31: for has no meaning here; allowed: with kind crash, hang, coordinator-outage,"
                                + " token-outage, hung-connects, database-outage, slow-connects, writes-throttled",
                        "s.yaml:2:40: every has no meaning here; allowed: with kind restart",
                        "s.yaml:2:51: byService has no meaning here; allowed: with kind restart",
                        "s.yaml:2:68: instances has no meaning here; allowed: with kind scale",
                        "s.yaml:2:82: handshake has no meaning here; allowed: with kind slow-connects");
        assertThat(mistakes("{at: 1m, kind: database-outage, for: 1s, services: [alpha], fraction: 1}"))
                .containsExactly(
                        "s.yaml:2:51: services has no meaning here; allowed: with kind drop, restart, crash, hang, scale",
                        "s.yaml:2:70: fraction has no meaning here; allowed: with kind drop, crash, hang, hung-connects");
    }

    @Test
    void kindsTimesAndServicesThatAreWrongAreToldWithTheNearest() {
        assertThat(mistakes("{at: 20m, kind: resart, services: [aplha, alpha]}, {at: -1s, kind: drop, services: {}}"))
                .containsExactly(
                        "s.yaml:2:15: at is '20m'; allowed: a duration less than the scenario's (20m)",
                        "s.yaml:2:26: kind is 'resart'; allowed: one of drop, restart, crash, hang, scale,"
                                + " coordinator-outage, token-outage, hung-connects, database-outage, slow-connects,"
                                + " writes-throttled;"
                                + " did you mean restart?",
                        "s.yaml:2:45: services is 'aplha'; allowed: one of alpha, beta; did you mean alpha?",
                        "s.yaml:2:66: at is '-1s'; allowed: a duration such as 90s or 1m30s, 0s or more",
                        "s.yaml:2:93: services is a map; allowed: the name of a service, or a list of names");
    }

    @Test
    void goesScenariosMustHappenBeforeTheEnd() {
        assertThat(Reading.mistakes("duration: 5m\nscenario: {kind: rolling_restart}\n" + Reading.ONE_SERVICE))
                .containsExactly(
                        "s.yaml:2:18: kind is 'rolling_restart'; allowed: with a duration over 5m, when it begins");
        assertThat(Reading.mistakes("duration: 5m\nscenario: {kind: mass_drop}\n" + Reading.ONE_SERVICE))
                .containsExactly("s.yaml:2:18: dropAt is '5m'; allowed: a duration less than the scenario's (5m)");
        assertThat(Reading.mistakes("scenario: {kind: mass-drop, dropFraction: 2}\n" + Reading.ONE_SERVICE))
                .containsExactly(
                        "s.yaml:1:18: kind is 'mass-drop'; allowed: one of cold_start, rolling_restart, mass_drop;"
                                + " did you mean mass_drop?",
                        "s.yaml:1:43: dropFraction is '2'; allowed: a number from 0 to 1");
    }
}
