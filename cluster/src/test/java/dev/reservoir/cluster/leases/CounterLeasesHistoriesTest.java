package dev.reservoir.cluster.leases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.ModesKit;
import dev.reservoir.cluster.ModesKit.Fault;
import dev.reservoir.cluster.ModesKit.GoLeases;
import dev.reservoir.cluster.ModesKit.OurProcess;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.core.spi.Leases.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random histories of leases by counter, of ours and of Go: after every event the counter is the number of our lease
 * items and of what Go has counted, and never above the limit; and each time things calm down, the living have what
 * they hold and the dead have nothing.
 */
class CounterLeasesHistoriesTest {
    private static final Fault[] FAULTS = {Fault.ANSWER_LOST, Fault.LOST, Fault.LATE, Fault.CONFLICT, Fault.THROTTLED};

    @Test
    void faultsOfEveryKindAndCrashesAndPauses() {
        for (long seed = 0; seed < 50; seed++) {
            new History(seed, 12, 4, WhenAway.LOCAL_SHARE).run(60, true);
        }
    }

    @Test
    void theSameWithMoreLeasesThanFitIntoATransaction() {
        for (long seed = 0; seed < 8; seed++) {
            new History(1_000 + seed, 600, 250, WhenAway.LOCAL_SHARE).run(40, true);
        }
    }

    @Test
    void whoIsNeverTakenForDeadHasALeaseForEveryConnectionAtAnyTime() {
        for (long seed = 0; seed < 50; seed++) {
            new History(2_000 + seed, 30, 8, WhenAway.STOP).run(60, false);
        }
    }

    /** One history of one world. */
    private static final class History {
        private final long seed;
        private final int limit;
        private final int most;
        private final WhenAway whenAway;
        private final ModesKit kit;
        private final GoLeases go;
        private final List<OurProcess> alive = new ArrayList<>();
        private final Set<OurProcess> stopped = new LinkedHashSet<>();
        private boolean disasters;

        History(long seed, int limit, int most, WhenAway whenAway) {
            this.seed = seed;
            this.limit = limit;
            this.most = most;
            this.whenAway = whenAway;
            kit = new ModesKit(seed);
            go = kit.goLeases(limit);
        }

        void run(int steps, boolean withDisasters) {
            disasters = withDisasters;
            for (int i = 0; i < 3; i++) {
                start();
            }
            for (int i = 0; i < steps; i++) {
                step();
                advance(Duration.ofMillis(kit.random.nextLong(3_000)));
            }
            calmDown();
        }

        private void start() {
            OurProcess process =
                    kit.byCounter(limit, it -> it.whenAway(whenAway).logged(false));
            Objects.requireNonNull(process.budget.leases()).attach(wanted -> {
                List<Lease> some = process.held().stream().limit(wanted).toList();
                process.own.schedule(20 * ModesKit.MILLI, () -> some.forEach(process::release));
                return some.size();
            });
            alive.add(process);
        }

        private void step() {
            OurProcess any = alive.get(kit.random.nextInt(alive.size()));
            int dice = kit.random.nextInt(disasters ? 20 : 14);
            if (dice < 5) {
                want(any, 1 + kit.random.nextInt(most));
            } else if (dice < 8) {
                release(any);
            } else if (dice < 10) {
                if (kit.random.nextBoolean()) {
                    go.acquire();
                } else if (go.held() > 0) {
                    go.release();
                }
            } else if (dice < 14) {
                any.store.fail(FAULTS[kit.random.nextInt(FAULTS.length)], 1 + kit.random.nextInt(disasters ? 6 : 3));
            } else if (dice < 16) {
                any.cut = !any.cut;
            } else if (dice < 18) {
                stopOrGoOn(any);
            } else if (dice == 18 && alive.size() > 1) {
                alive.remove(any);
                any.crash();
            } else if (alive.size() < 5) {
                start();
            }
        }

        private void stopOrGoOn(OurProcess any) {
            if (stopped.add(any)) {
                any.own.stop();
                advance(Duration.ofSeconds(kit.random.nextLong(90)));
            } else {
                stopped.remove(any);
                any.own.goOn();
            }
        }

        private void want(OurProcess process, int n) {
            if (!stopped.contains(process)) {
                process.wantLeases(n);
            }
        }

        private void release(OurProcess process) {
            List<Lease> held = process.held();
            if (!stopped.contains(process) && !held.isEmpty()) {
                held.stream().limit(1 + kit.random.nextInt(held.size())).forEach(process::release);
            }
        }

        private void advance(Duration by) {
            long end = kit.time.nanos() + by.toNanos();
            while (kit.time.step(end)) {
                try {
                    check();
                } catch (AssertionError e) {
                    throw new AssertionError("seed " + seed + " at " + kit.time.nanos(), e);
                }
            }
            kit.time.advanceTo(end);
        }

        private void check() {
            kit.checkLeases();
            assertThat(kit.active()).isLessThanOrEqualTo(limit);
            if (!disasters) {
                Map<String, Set<String>> byOwner = kit.leasesByOwner();
                for (OurProcess process : alive) {
                    BudgetStats stats = process.budget.stats();
                    int items = byOwner.getOrDefault(stats.member(), Set.of()).size();
                    assertThat(process.leaseStats().declaredDead()).isZero();
                    assertThat(process.held().size()).isLessThanOrEqualTo(items);
                }
            }
        }

        private void calmDown() {
            stopped.forEach(it -> it.own.goOn());
            stopped.clear();
            alive.forEach(it -> {
                it.cut = false;
                it.store.faults = () -> Fault.NONE;
            });
            advance(ModesKit.LEASE.multipliedBy(3));
            Map<String, Set<String>> byOwner = kit.leasesByOwner();
            long held = 0;
            for (OurProcess process : alive) {
                BudgetStats stats = process.budget.stats();
                BudgetStats.Leases leases = process.leaseStats();
                assertThat(leases.waiting()).as("seed " + seed).isZero();
                assertThat(leases.used())
                        .as("seed " + seed)
                        .isEqualTo(process.held().size());
                assertThat(byOwner.getOrDefault(stats.member(), Set.of()))
                        .as("seed " + seed + ", leases of " + stats)
                        .hasSize(leases.used());
                held += leases.used();
            }
            assertThat(kit.leasesOfOurs()).as("seed " + seed).isEqualTo(held);
            List<OurProcess> leaving = List.copyOf(alive);
            alive.clear();
            start();
            leaving.forEach(it -> {
                var unused = it.budget.leave();
            });
            advance(ModesKit.LEASE.multipliedBy(2));
            assertThat(kit.active()).as("seed " + seed).isEqualTo(go.counted);
        }
    }
}
