package dev.reservoir.sim.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadReaderTest {
    private static Workload workload(String text) {
        return Reading.read("services: [{name: a, workload: " + text + "}]")
                .services()
                .get(0)
                .workload();
    }

    private static List<String> mistakes(String text) {
        return Reading.mistakes("services: [{name: a, workload: " + text + "}]");
    }

    private static Duration millis(long n) {
        return Duration.ofMillis(n);
    }

    @Test
    void goesWorkloadIsClosedAndHoldsFromItsTimeToItsTimeAndJitter() {
        assertThat(workload(
                        "{enabled: true, maxInUse: 30, holdTime: 10ms, holdJitter: 5ms, spawnEvery: 100ms, arrivalBurst: 10,"
                                + " maxWait: 5s}"))
                .hasToString("Workload[arrival=CLOSED, maxInUse=30, spawnEvery=PT0.1S, arrivalBurst=10,"
                        + " ratePerSecond=0.0, burstEvery=PT0S, burstSize=0, recorded=[], hold=10 ms to 15 ms,"
                        + " maxWait=PT5S, conflicts=0.0]");
    }

    @Test
    void goesWorkloadHasGoesDefaults() {
        assertThat(workload("{enabled: true}"))
                .hasToString("Workload[arrival=CLOSED, maxInUse=0, spawnEvery=PT0.2S, arrivalBurst=5,"
                        + " ratePerSecond=0.0, burstEvery=PT0S, burstSize=0, recorded=[], hold=10 ms, maxWait=PT10S,"
                        + " conflicts=0.0]");
    }

    @Test
    void aWorkloadThatIsNotEnabledIsNone() {
        assertThat(workload("{maxInUse: 30, holdTime: 10ms}")).isEqualTo(ScenarioKeys.defaults(Workload.class));
        assertThat(workload("{enabled: false, arrivals: poisson, rate: 5}"))
                .isEqualTo(ScenarioKeys.defaults(Workload.class));
    }

    @Test
    void arrivalsAtARateAreReadAndNeedNotBeEnabled() {
        Workload poisson = workload("{arrivals: poisson, rate: 12.5, hold: {mean: 20ms}, conflicts: 0.25}");
        assertThat(poisson.arrival()).isEqualTo(Arrival.POISSON);
        assertThat(poisson.ratePerSecond()).isEqualTo(12.5);
        assertThat(poisson.hold()).isEqualTo(Latency.exponential(millis(20)));
        assertThat(poisson.conflicts()).isEqualTo(0.25);
        assertThat(workload("{arrivals: even, rate: 2}").arrival()).isEqualTo(Arrival.EVEN);
    }

    @Test
    void burstsAndListedTimesAreRead() {
        Workload bursts = workload("{arrivals: bursts, burstEvery: 2s, burstSize: 40}");
        assertThat(bursts.burstEvery()).isEqualTo(Duration.ofSeconds(2));
        assertThat(bursts.burstSize()).isEqualTo(40);
        Workload recorded = workload("{arrivals: recorded, times: [2s, 0.5, 100ms, 0]}");
        assertThat(recorded.recorded()).containsExactly(0L, 100_000_000L, 500_000_000L, 2_000_000_000L);
    }

    @Test
    void whatAnArrivalNeedsMustBeThere() {
        assertThat(mistakes("{arrivals: poisson}"))
                .containsExactly("s.yaml:1:32: rate is missing; allowed: checkouts a second of each process");
        assertThat(mistakes("{arrivals: bursts}"))
                .containsExactly(
                        "s.yaml:1:32: burstEvery is missing; allowed: how often a burst comes, a duration",
                        "s.yaml:1:32: burstSize is missing; allowed: how many checkouts come at once");
        assertThat(mistakes("{arrivals: recorded}"))
                .containsExactly(
                        "s.yaml:1:32: file is missing; allowed: a CSV file in the scenario's folder or below it,"
                                + " or times in its place");
    }

    @Test
    void whatAnArrivalDoesNotKnowHasNoMeaning() {
        assertThat(mistakes("{enabled: true, rate: 5, burstSize: 3}"))
                .containsExactly(
                        "s.yaml:1:48: rate has no meaning here; allowed: with arrivals poisson or even",
                        "s.yaml:1:57: burstSize has no meaning here; allowed: with arrivals bursts");
        assertThat(mistakes("{arrivals: even, rate: 5, maxInUse: 3, times: [1]}"))
                .containsExactly(
                        "s.yaml:1:58: maxInUse has no meaning here; allowed: with arrivals closed",
                        "s.yaml:1:71: times has no meaning here; allowed: with arrivals recorded");
        assertThat(mistakes("{enabled: true, hold: 5ms, holdJitter: 1ms}"))
                .containsExactly("s.yaml:1:59: holdJitter has no meaning here; allowed: without hold");
    }

    @Test
    void defaultsMaySpeakOfSeveralArrivals() {
        assertThat(Reading.mistakes("""
                        defaults:
                          workload: {rate: 5, maxInUse: 10, hold: 5ms}
                        services:
                          - {name: a, workload: {arrivals: poisson}}
                          - {name: b, workload: {arrivals: closed}}
                          - {name: c}
                        """)).isEmpty();
    }

    @Test
    void defaultsThatContradictThemselvesAreAMistakeOnce() {
        assertThat(Reading.mistakes("""
                        defaults:
                          workload: {arrivals: closed, rate: 5, maxWait: soon}
                        services:
                          - {name: a}
                          - {name: b}
                        """))
                .containsExactly(
                        "s.yaml:2:32: rate has no meaning here; allowed: with arrivals poisson or even",
                        "s.yaml:2:50: maxWait is 'soon'; allowed: a duration such as 90s or 1m30s, more than 0");
    }
}
