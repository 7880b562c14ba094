package dev.reservoir.dynamodb.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.LeaseMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Eight processes share the budget of one cluster through a real store that refuses writes for longer than the lease
 * time and answers reads. All leases are out, and all of them want more: a lease that is taken from one that lives is
 * used by another at once, and the server sees one connection too many. One process dies meanwhile.
 *
 * <p>Nothing here depends on how fast the machine is, as long as no process stands still for most of a lease time.
 */
class WritesRefusedTest {
    private static final Duration LEASE_TIME = Duration.ofSeconds(12);

    /** Connections outlive the test, so that all are still held when writes are done again. */
    private static final Duration LIFETIME = Duration.ofMinutes(15);

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void nobodyWhoLivesLosesItsShareAndTheCapIsKept(LeaseMode mode, @TempDir Path folder) {
        try (Fleet fleet = new Fleet(folder, new FleetRules(mode, LEASE_TIME, LIFETIME))) {
            try {
                fill(fleet);
                Map<String, Integer> before = openBy(fleet);
                WorkerProcess dying = refuseWritesAndKillOne(fleet);
                awaitTakeBack(fleet, dying);
                judge(fleet, before);
                end(fleet);
            } catch (RuntimeException | Error e) {
                System.out.println(fleet.story());
                throw e;
            }
        }
    }

    private static void fill(Fleet fleet) {
        List<WorkerProcess> all = fleet.start(Rules.PROCESSES);
        fleet.awaitExactItems();
        all.forEach(WorkerProcess::begin);
        Fleet.eventually(
                "all leases in use",
                () -> assertThat(fleet.connects().open()).isGreaterThanOrEqualTo(Rules.LIMIT * 9 / 10));
        fleet.awaitExactItems();
    }

    private static Map<String, Integer> openBy(Fleet fleet) {
        return fleet.living().stream()
                .collect(Collectors.toMap(
                        WorkerProcess::name, process -> fleet.connects().open(process.name())));
    }

    private static WorkerProcess refuseWritesAndKillOne(Fleet fleet) {
        fleet.way().throttle(true);
        long begun = System.nanoTime();
        long refusedBefore = fleet.way().refused();
        WorkerProcess dying = fleet.living().get(0);
        fleet.kill(List.of(dying));
        Fleet.eventually("one and a half lease times", () -> {
            assertThat(System.nanoTime() - begun)
                    .isGreaterThan(LEASE_TIME.multipliedBy(3).dividedBy(2).toNanos());
            assertThat(fleet.way().refused() - refusedBefore).isGreaterThan(Rules.PROCESSES);
        });
        assertThat(fleet.items().latest().processes())
                .as("nobody can take anything back yet")
                .hasSize(Rules.PROCESSES);
        fleet.way().throttle(false);
        return dying;
    }

    private static void awaitTakeBack(Fleet fleet, WorkerProcess dying) {
        long begun = System.nanoTime();
        Fleet.eventually(
                "the dead one out of the items",
                () -> assertThat(fleet.items().latest().processes()).doesNotContain(dying.name()));
        fleet.awaitExactItems();
        double seconds = (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1);
        System.out.printf("writes refused: counts exact %.1f s after writes were done again%n", seconds);
        Fleet.eventually(
                "what it had in use by others",
                () -> assertThat(fleet.connects().open()).isGreaterThanOrEqualTo(Rules.LIMIT * 9 / 10));
    }

    private static void judge(Fleet fleet, Map<String, Integer> before) {
        assertThat(fleet.connects().violations()).as("moments above the cap").isEmpty();
        assertThat(fleet.items().violations()).as("what was wrong in the items").isEmpty();
        for (WorkerProcess process : fleet.living()) {
            assertThat(process.report().declaredDead())
                    .as("how often %s was taken for dead", process.name())
                    .isZero();
            int had = Math.min(before.getOrDefault(process.name(), 0), Rules.FAIR_SHARE);
            Fleet.eventually(
                    process.name() + " to have what it had",
                    () -> assertThat(fleet.connects().open(process.name())).isGreaterThanOrEqualTo(had - 1));
        }
        System.out.printf(
                "writes refused: %d writes refused, at most %d open of %d%n",
                fleet.way().refused(), fleet.connects().mostOpen(), Rules.LIMIT);
    }

    private static void end(Fleet fleet) {
        fleet.endAll();
        assertThat(fleet.items().keysOfLeases()).isEmpty();
    }
}
