package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.model.ModelLimits;
import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Processes that start within a second and share a budget on a table with the limits of DynamoDB, on virtual time. */
final class LimitedFleet {
    private static final int LIMIT = 10_000;
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long LATENCY_MIN_NANOS = 3_000_000L;
    private static final long LATENCY_MAX_NANOS = 8_000_000L;
    private static final long BEGIN_SECONDS = 1_767_225_600L;

    /** Pause before a failed request is repeated, as in the engine. */
    private static final long AGAIN_NANOS = 2 * SECOND_NANOS;

    private final VirtualTime clock = new VirtualTime();
    private final ModelTable table =
            new ModelTable(() -> BEGIN_SECONDS + clock.nanos() / SECOND_NANOS, new ModelLimits(clock::nanos));
    private final SplittableRandom random = new SplittableRandom(1);
    private final List<Member> members = new ArrayList<>();
    private final int each;
    private Outage outage = Outage.NONE;
    private int held;
    private int heldMax;

    /** What the table refuses to do. */
    enum Outage {
        NONE("none"),
        WRITES_THROTTLED("writes throttled"),
        NOTHING_ANSWERED("nothing answered");

        final String title;

        Outage(String title) {
            this.title = title;
        }
    }

    /** Starts processes that each want {@code each} leases. */
    LimitedFleet(int processes, int each) {
        this.each = each;
        for (int i = 0; i < processes; i++) {
            clock.schedule(random.nextLong(SECOND_NANOS), () -> members.add(new Member(members.size())));
        }
    }

    void pass(Duration duration) {
        clock.advance(duration.toNanos());
    }

    void begin(Outage kind) {
        outage = kind;
    }

    StoreCounts counts() {
        return members.stream().map(member -> member.store.counts()).reduce(StoreCounts.NONE, StoreCounts::plus);
    }

    /** How long each process waited for its first lease; infinite if it has none. */
    List<Double> firstLeaseNanos() {
        return members.stream().map(member -> member.firstLeaseNanos).toList();
    }

    long failedRequests() {
        return members.stream().mapToLong(member -> member.failed).sum();
    }

    /** How often a process was declared dead. All of them are alive. */
    long declaredDead() {
        return members.stream().mapToLong(Member::declaredDead).sum();
    }

    /** The largest number of leases that the fleet held beyond the limit at one time. */
    long heldBeyondTheLimit() {
        return Math.max(0, heldMax - LIMIT);
    }

    private final class Member implements ModelStore.Trouble {
        private final ModelStore store;
        private final ClusterBudget budget;
        private final Leases leases;
        private final long startedNanos = clock.nanos();
        private double firstLeaseNanos = Double.POSITIVE_INFINITY;
        private int wanted = each;
        private long failed;

        Member(int number) {
            this.store = new ModelStore(
                    table, clock, clock, () -> random.nextLong(LATENCY_MIN_NANOS, LATENCY_MAX_NANOS + 1), this);
            this.budget = ClusterBudget.start(
                    ClusterSettings.builder("fleet.example")
                            .host("p" + number)
                            .limit(LIMIT)
                            .logged(false)
                            .build(),
                    store,
                    store,
                    clock,
                    () -> Instant.ofEpochSecond(BEGIN_SECONDS, clock.nanos()),
                    random.split());
            this.leases = Objects.requireNonNull(budget.leases());
            want();
        }

        private void want() {
            for (int n = wanted; n > 0; n--) {
                wanted--;
                var unused = leases.acquire().whenComplete((lease, error) -> answered(lease));
            }
        }

        private void answered(@Nullable Lease lease) {
            if (lease == null) {
                failed++;
                wanted++;
                clock.schedule(AGAIN_NANOS, this::want);
            } else {
                firstLeaseNanos = Math.min(firstLeaseNanos, (double) (clock.nanos() - startedNanos));
                heldMax = Math.max(heldMax, ++held);
            }
        }

        long declaredDead() {
            BudgetStats.Leases stats = Objects.requireNonNull(budget.stats().leases());
            return stats.declaredDead();
        }

        @Override
        public boolean isCut() {
            return outage == Outage.NOTHING_ANSWERED;
        }

        @Override
        public boolean throttlesWrite() {
            return outage == Outage.WRITES_THROTTLED;
        }
    }
}
