package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is wrong with the books of a fleet is noticed. */
class BudgetPromisesTest {
    private static final String COUNT = "reservoir_count#fleet";
    private static final String MEMBER = "reservoir_member#fleet#";

    private final SmallScenario scenario =
            SmallScenario.of(service("a"), service("b")).leases(24, "10s").coordinatorAnswersIn("5ms");

    /** A fleet that has filled up, and in which all is well. */
    private static Promises filled(SmallScenario scenario) {
        Promises promises = Promises.of(new Fleet(scenario.build(), PoolKind.RESERVOIR));
        while (promises.fleet.step(5_000_000_000L)) {
            promises.check();
        }
        assertThat(promises.broken()).isNull();
        return promises;
    }

    private static void add(Promises promises, String key, String attribute, long more) {
        ((ClusterCoordinator) promises.fleet.coordinator)
                .table()
                .write(Write.update(key, List.of(Change.add(attribute, more))));
    }

    private static String member(Promises promises) {
        List<String> keys = new ArrayList<>();
        ((ClusterCoordinator) promises.fleet.coordinator).table().forEach(MEMBER, (key, item) -> keys.add(key));
        return keys.get(0);
    }

    @Test
    void aCountThatIsNotTheSumOfTheShares() {
        Promises promises = filled(scenario);
        add(promises, COUNT, "total", -1);
        promises.check();
        assertThat(promises.broken()).matches("counts: the count is \\d+, the shares add up to \\d+");
    }

    @Test
    void aCountAboveTheLimit() {
        Promises promises = filled(scenario);
        add(promises, COUNT, "total", 20);
        add(promises, member(promises), "share", 20);
        promises.check();
        assertThat(promises.broken()).matches("counts: the count is 4\\d, the limit 24");
    }

    @Test
    void aMemberThatNobodyKnows() {
        Promises promises = filled(scenario);
        ((ClusterCoordinator) promises.fleet.coordinator)
                .table()
                .write(Write.update(
                        MEMBER + "ffff",
                        List.of(Change.set("beat", 1), Change.set("share", 0), Change.set("host", "a-1"))));
        promises.check();
        assertThat(promises.broken()).isEqualTo("counts: 3 members, 2 known by name");
    }

    private static SmallScenario withAStandstill() {
        return SmallScenario.of(service("a")).leases(24, "10s").hang("50s", 1, "1s");
    }

    @Test
    void moreLeasesInUseThanTheShare() {
        for (SmallScenario asked : List.of(scenario, withAStandstill())) {
            Promises promises = filled(asked);
            add(promises, COUNT, "total", -5);
            add(promises, member(promises), "share", -5);
            long end = promises.fleet.nanos() + 100_000_000L;
            promises.fleet.known().forEach(promises::touches);
            while (promises.fleet.step(end)) {
                promises.check();
            }
            promises.check();
            if (asked == scenario) {
                assertThat(promises.broken()).matches("share: [ab]-1 uses 10 leases of [5-9]");
            } else {
                // A process that stands still cannot know what is its own.
                assertThat(promises.broken()).isNull();
            }
        }
    }

    @Test
    void moreConnectsThanRateAndBurst() {
        Promises promises = filled(scenario);
        SimulatedProcess process = promises.fleet.known().get(0);
        for (int i = 0; i < 150; i++) {
            var unused = promises.fleet.database.connect(process);
        }
        promises.check();
        assertThat(promises.broken()).isEqualTo("rate: 150 connects beyond 100/s, burst 1");
    }

    @Test
    void whileNobodyAnswersEachOpensWhatSeemsSafeToIt() {
        Promises promises = filled(SmallScenario.of(service("a")).lasting("1m", FaultKind.COORDINATOR_OUTAGE, "1s"));
        SimulatedProcess process = promises.fleet.known().get(0);
        for (int i = 0; i < 150; i++) {
            var unused = promises.fleet.database.connect(process);
        }
        promises.check();
        assertThat(promises.broken()).isNull();
    }

    @Test
    void whatIsLeftOfAProcessThatHasClosed() {
        Promises promises = filled(scenario);
        promises.end();
        assertThat(promises.broken()).isNull();
        assertThat(((ClusterCoordinator) promises.fleet.coordinator).leftBehind())
                .isEmpty();
        // As if it had never left.
        ClusterCoordinator coordinator = (ClusterCoordinator) promises.fleet.coordinator;
        coordinator
                .table()
                .write(Write.update(
                        MEMBER + "ffff",
                        List.of(Change.set("beat", 1), Change.set("share", 3), Change.set("host", "a-1"))));
        assertThat(coordinator.leftBehind()).containsExactly("a-1 with a share of 3");
    }
}
