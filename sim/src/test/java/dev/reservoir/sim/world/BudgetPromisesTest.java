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
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Wrong counts in the table of a fleet are noticed. */
class BudgetPromisesTest {
    private static final String COUNT = "reservoir_count#fleet";
    private static final String MEMBER = "reservoir_member#fleet#";

    private final SmallScenario scenario =
            SmallScenario.of(service("a"), service("b")).leases(24, "10s").coordinatorAnswersIn("5ms");

    /** A fleet whose pools are full and whose counts are right. */
    private static Fleet filled(SmallScenario scenario) {
        Fleet fleet = new Fleet(scenario.build(), PoolKind.RESERVOIR, new Promises(scenario.build()));
        while (fleet.step(5_000_000_000L)) {
            promises(fleet).check(fleet);
        }
        assertThat(promises(fleet).broken()).isNull();
        return fleet;
    }

    private static Promises promises(Fleet fleet) {
        return Objects.requireNonNull(fleet.promises);
    }

    private static ClusterCoordinator coordinator(Fleet fleet) {
        return (ClusterCoordinator) fleet.coordinator;
    }

    private static void add(Fleet fleet, String key, String attribute, long more) {
        coordinator(fleet).table().write(Write.update(key, List.of(Change.add(attribute, more))));
    }

    private static String member(Fleet fleet) {
        List<String> keys = new ArrayList<>();
        coordinator(fleet).table().forEach(MEMBER, (key, item) -> keys.add(key));
        return keys.get(0);
    }

    @Test
    void aCountThatIsNotTheSumOfTheShares() {
        Fleet fleet = filled(scenario);
        add(fleet, COUNT, "total", -1);
        promises(fleet).check(fleet);
        assertThat(promises(fleet).broken()).matches("counts: the count is \\d+, the shares add up to \\d+");
    }

    @Test
    void aCountAboveTheLimit() {
        Fleet fleet = filled(scenario);
        add(fleet, COUNT, "total", 20);
        add(fleet, member(fleet), "share", 20);
        promises(fleet).check(fleet);
        assertThat(promises(fleet).broken()).matches("counts: the count is 4\\d, the limit 24");
    }

    @Test
    void aMemberThatNobodyKnows() {
        Fleet fleet = filled(scenario);
        coordinator(fleet)
                .table()
                .write(Write.update(
                        MEMBER + "ffff",
                        List.of(Change.set("beat", 1), Change.set("share", 0), Change.set("host", "a-1"))));
        promises(fleet).check(fleet);
        assertThat(promises(fleet).broken()).isEqualTo("counts: 3 members, 2 known by name");
    }

    private static SmallScenario withAHang() {
        return SmallScenario.of(service("a")).leases(24, "10s").hang("50s", 1, "1s");
    }

    @Test
    void moreLeasesInUseThanTheShare() {
        for (SmallScenario asked : List.of(scenario, withAHang())) {
            Fleet fleet = filled(asked);
            add(fleet, COUNT, "total", -5);
            add(fleet, member(fleet), "share", -5);
            long end = fleet.nanos() + 100_000_000L;
            fleet.known().forEach(promises(fleet)::touches);
            while (fleet.step(end)) {
                promises(fleet).check(fleet);
            }
            promises(fleet).check(fleet);
            if (asked == scenario) {
                assertThat(promises(fleet).broken()).matches("share: [ab]-1 uses 10 leases of [5-9]");
            } else {
                // A process that hangs cannot know its share.
                assertThat(promises(fleet).broken()).isNull();
            }
        }
    }

    @Test
    void moreConnectsThanRateAndBurst() {
        Fleet fleet = filled(scenario);
        SimulatedProcess process = fleet.known().get(0);
        for (int i = 0; i < 150; i++) {
            var unused = fleet.database.connect(process);
        }
        promises(fleet).check(fleet);
        assertThat(promises(fleet).broken()).isEqualTo("rate: 150 connects beyond 100/s, burst 1");
    }

    @Test
    void whileNobodyAnswersEachOpensWhatSeemsSafeToIt() {
        Fleet fleet = filled(SmallScenario.of(service("a")).lasting("1m", FaultKind.COORDINATOR_OUTAGE, "1s"));
        SimulatedProcess process = fleet.known().get(0);
        for (int i = 0; i < 150; i++) {
            var unused = fleet.database.connect(process);
        }
        promises(fleet).check(fleet);
        assertThat(promises(fleet).broken()).isNull();
    }

    @Test
    void whatIsLeftOfAProcessThatHasClosed() {
        Fleet fleet = filled(scenario);
        promises(fleet).end(fleet);
        assertThat(promises(fleet).broken()).isNull();
        assertThat(coordinator(fleet).leftBehind()).isEmpty();
        // As if the process had never left.
        ClusterCoordinator coordinator = coordinator(fleet);
        coordinator
                .table()
                .write(Write.update(
                        MEMBER + "ffff",
                        List.of(Change.set("beat", 1), Change.set("share", 3), Change.set("host", "a-1"))));
        assertThat(coordinator.leftBehind()).containsExactly("a-1 with a share of 3");
    }
}
