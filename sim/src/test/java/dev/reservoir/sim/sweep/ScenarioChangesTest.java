package dev.reservoir.sim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.file.ScenarioException;
import dev.reservoir.sim.file.ScenarioReader;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The changes that follow from a changed setting. */
class ScenarioChangesTest {
    static Scenario scenario(String text) {
        try {
            return ScenarioReader.read("test.yaml", text, null);
        } catch (ScenarioException e) {
            throw new AssertionError(e);
        }
    }

    private static Scenario with(Scenario scenario, String setting) {
        Vary vary = Vary.parse(setting);
        return vary.knob().set(scenario, vary.values().get(0));
    }

    @Test
    void maxOpenFollowsTheTargetWhereTheyWereEqual() {
        Scenario equal = with(scenario("services: [{name: a, targetReady: 50}]"), "target=80");
        Scenario larger = with(scenario("services: [{name: a, targetReady: 50, maxOpen: 90}]"), "target=80");

        assertThat(equal.services().get(0).pool().maxOpen()).isEqualTo(80);
        assertThat(larger.services().get(0).pool().maxOpen()).isEqualTo(90);
        assertThat(larger.services().get(0).pool().targetReady()).isEqualTo(80);
    }

    @Test
    void theLowWatermarkNeverExceedsTheTarget() {
        Scenario half = with(scenario("services: [{name: a, targetReady: 50, lowWatermark: 25}]"), "target=10");

        assertThat(half.services().get(0).pool().lowWatermark()).isEqualTo(5);
        assertThat(with(scenario("services: [{name: a}]"), "target=10")
                        .services()
                        .get(0)
                        .pool()
                        .lowWatermark())
                .isEqualTo(10);
    }

    @Test
    void burstChangesTheLimiterAndTheDatabase() {
        Scenario changed = with(scenario("database: {rate: 100}\nservices: [{name: a}]"), "burst=1000");
        Scenario none = with(changed, "burst=0");

        assertThat(changed.limiter().burst()).isEqualTo(1000);
        assertThat(changed.database().burst()).isEqualTo(1000);
        assertThat(none.limiter().burst()).isEqualTo(1);
        assertThat(none.database().burst()).isZero();
    }

    @Test
    void rateChangesTheDatabaseOnlyWhereItHasOne() {
        assertThat(with(scenario("database: {rate: 100}\nservices: [{name: a}]"), "rate=50")
                        .database()
                        .ratePerSecond())
                .isEqualTo(50);
        assertThat(with(scenario("services: [{name: a}]"), "rate=50").database().ratePerSecond())
                .isZero();
    }

    @Test
    void anAssertionThatSaysTheLimitFollowsIt() {
        Scenario says = scenario("limiterPerSec: 100\nassertMaxConnectsPerSec: 100\nservices: [{name: a}]");
        Scenario other = scenario("limiterPerSec: 100\nassertMaxConnectsPerSec: 70\nservices: [{name: a}]");

        assertThat(with(says, "burst=1000").expected().maxConnectsPerSec()).isEqualTo(1099);
        assertThat(with(with(says, "burst=1000"), "rate=20").expected().maxConnectsPerSec())
                .isEqualTo(1019);
        assertThat(with(other, "burst=1000").expected().maxConnectsPerSec()).isEqualTo(70);
    }

    @Test
    void leasesFollowTheCapWhereTheyWereEqual() {
        Scenario equal = scenario("database: {cap: 500}\ncoordinator: {leaseLimit: 500}\nservices: [{name: a}]");
        Scenario other = scenario("database: {cap: 500}\ncoordinator: {leaseLimit: 400}\nservices: [{name: a}]");

        assertThat(with(equal, "cap=600").coordinator().leaseLimit()).isEqualTo(600);
        assertThat(with(equal, "cap=600").database().cap()).isEqualTo(600);
        assertThat(with(other, "cap=600").coordinator().leaseLimit()).isEqualTo(400);
    }

    @Test
    void aSpreadOfTheHandshakeIsStretchedWithIt() {
        Scenario scenario = scenario("services: [{name: a}]");
        Scenario spread = scenario("database: {handshake: {median: 20ms, p99: 100ms}}\nservices: [{name: a}]");

        assertThat(with(spread, "handshake=40ms").database().handshake())
                .isEqualTo(Latency.logNormal(Duration.ofMillis(40), Duration.ofMillis(200)));
        assertThat(with(scenario, "handshake=40ms").database().handshake())
                .isEqualTo(Latency.fixed(Duration.ofMillis(40)));
    }

    @Test
    void timesAndNumbersOfServicesAreSetInEveryService() {
        Scenario scenario = scenario("services: [{name: a}, {name: b}]");

        assertThat(with(scenario, "jitter=7s").services())
                .allSatisfy(s -> assertThat(s.pool().jitter()).isEqualTo(Duration.ofSeconds(7)));
        assertThat(with(scenario, "lifetime=7m").services())
                .allSatisfy(s -> assertThat(s.pool().shortestLifetime()).isEqualTo(Duration.ofMinutes(7)));
        assertThat(with(scenario, "guard=7s").services())
                .allSatisfy(s -> assertThat(s.pool().guardWindow()).isEqualTo(Duration.ofSeconds(7)));
        assertThat(with(scenario, "instances=7").services())
                .allSatisfy(s -> assertThat(s.instances()).isEqualTo(7));
        assertThat(with(scenario, "maxOpen=77").services())
                .allSatisfy(s -> assertThat(s.pool().maxOpen()).isEqualTo(77));
    }

    @Test
    void loadAndInUseChangeOnlyTheWorkloadsTheyMean() {
        Scenario scenario = scenario("""
                services:
                  - {name: closed, workload: {enabled: true, maxInUse: 3}}
                  - {name: open, workload: {arrivals: poisson, rate: 10}}
                """);

        assertThat(with(scenario, "load=25").services())
                .extracting(s -> s.workload().ratePerSecond())
                .containsExactly(0.0, 25.0);
        assertThat(with(scenario, "inUse=9").services())
                .extracting(s -> s.workload().maxInUse())
                .containsExactly(9, 0);
    }

    @Test
    void whatCannotBeIsSaid() {
        Scenario scenario = scenario("services: [{name: a, targetReady: 50, maxOpen: 60}]");

        assertThat(Sweep.impossible(scenario)).isNull();
        assertThat(Sweep.impossible(with(scenario, "target=70"))).isEqualTo("target 70 is more than maxOpen 60");
        assertThat(Sweep.impossible(with(scenario, "lifetime=30s")))
                .isEqualTo("guard 45s is not less than lifetime 30s");
        assertThat(Sweep.impossible(
                        with(scenario("services: [{name: a}, {name: b, targetReady: 1000}]"), "instances=10000")))
                .contains("20000 processes with 10500000 connections");
    }
}
