package dev.reservoir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.store.StoreCounts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MeasuredFleetTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ModelWorld world = new ModelWorld();

    @ParameterizedTest
    @EnumSource
    void everySideFillsAndLeavesNothingBehind(MeasuredSide side) throws InterruptedException {
        MeasuredFleet fleet = filled(side, 5, 30);
        assertThat(fleet.leasesOut()).isGreaterThanOrEqualTo(150);
        assertThat(fleet.leave(MINUTE)).isFinite();
        assertThat(fleet.leasesOut()).isZero();
        assertThat(fleet.database.rationed.counts().opened()).isEqualTo(150);
        assertThat(fleet.database.rationed.counts().refused()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void everySideReplacesWhatGrowsOld(MeasuredSide side) throws InterruptedException {
        MeasuredFleet fleet = filled(side, 2, 10);
        world.pass(Duration.ofMinutes(24));
        assertThat(fleet.database.rationed.counts().opened()).isBetween(55L, 65L);
        assertThat(fleet.isFull()).isTrue();
    }

    @Test
    void aGoProcessWritesFourItemsAndAPollForEachConnection() throws InterruptedException {
        MeasuredFleet fleet = filled(MeasuredSide.GO, 1, 20);
        fleet.leave(MINUTE);
        StoreCounts counts = fleet.counts();
        assertThat(counts.itemsWritten()).isEqualTo(20 * 5);
        assertThat(counts.writeUnits()).isEqualTo(20 * 9);
        assertThat(fleet.permitWrites.sum()).isEqualTo(20);
    }

    @Test
    void aGoProcessThatFindsTheSecondFullAsksAgainAndAgain() throws InterruptedException {
        MeasuredFleet fleet = filled(MeasuredSide.GO, 20, 20);
        assertThat(fleet.permitWrites.sum()).isGreaterThan(2 * 20 * 20);
    }

    @Test
    void whatAProcessThatDiesHeldIsTakenBackByOursAndLostByGo() throws InterruptedException {
        MeasuredFleet ours = filled(MeasuredSide.RESERVOIR, 5, 10);
        String dead = ours.processes.get(0).member();
        ours.kill(ours.processes.get(0));
        assertThat(ours.membersLeft(List.of(dead))).isEqualTo(1);
        world.pass(MINUTE);
        assertThat(ours.membersLeft(List.of(dead))).isZero();

        MeasuredFleet go = filled(MeasuredSide.GO, 5, 10);
        go.kill(go.processes.get(0));
        world.pass(MINUTE);
        assertThat(go.leasesOut()).isEqualTo(50);
    }

    private MeasuredFleet filled(MeasuredSide side, int processes, int size) throws InterruptedException {
        MeasuredFleet fleet = new MeasuredFleet(world, FleetPlan.of(side, size));
        fleet.start(processes);
        assertThat(fleet.nanosUntilFull(world.nanos(), MINUTE)).isFinite();
        return fleet;
    }
}
