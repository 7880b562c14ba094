package dev.reservoir.cluster;

import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Processes that share one budget, on virtual time, with a store 4 to 12 ms away. */
final class Fleet {
    static final String ENDPOINT = "cluster.example";
    static final long BEGIN_SECONDS = 1_700_000_000L;

    final VirtualTime time = new VirtualTime();
    final ModelTable table = new ModelTable(() -> BEGIN_SECONDS + time.nanos() / 1_000_000_000L);
    final List<Member> members = new ArrayList<>();
    private final UnaryOperator<ClusterSettings.Builder> settings;

    Fleet(UnaryOperator<ClusterSettings.Builder> settings) {
        this.settings = settings;
    }

    Member join() {
        Member member = new Member(members.size(), settings);
        members.add(member);
        return member;
    }

    List<Member> join(int n) {
        List<Member> joined = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            joined.add(join());
        }
        return joined;
    }

    void run(Duration duration) {
        time.advance(duration.toNanos());
    }

    double seconds() {
        return time.nanos() / 1e9;
    }

    long total() {
        Item count = table.item(Items.count(ENDPOINT));
        return count == null ? 0 : count.number(Items.TOTAL, 0);
    }

    long sumOfShares() {
        return table.items().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(Items.MEMBER_PREFIX))
                .mapToLong(entry -> entry.getValue().number(Items.SHARE, 0))
                .sum();
    }

    StoreCounts counts() {
        return members.stream().map(m -> m.store.counts()).reduce(StoreCounts.NONE, StoreCounts::plus);
    }

    /** One process. */
    final class Member implements Leases.Holder {
        final ModelStore store;
        final ClusterBudget budget;
        final List<Lease> held = new ArrayList<>();

        /** When permits were granted, in seconds. */
        final List<Double> permitted = new ArrayList<>();

        int refusedLeases;
        int failedPermits;
        boolean cut;
        boolean dead;
        long wallOffSeconds;

        Member(int number, UnaryOperator<ClusterSettings.Builder> settings) {
            SplittableRandom random = new SplittableRandom(number);
            store = new ModelStore(table, time, () -> 4_000_000L + random.nextLong(8_000_000L), () -> cut || dead);
            budget = ClusterBudget.start(
                    settings.apply(ClusterSettings.builder(ENDPOINT).host("p" + number))
                            .build(),
                    store,
                    store,
                    time,
                    () -> Instant.ofEpochSecond(BEGIN_SECONDS + wallOffSeconds, time.nanos()),
                    new SplittableRandom(1_000 + number));
            if (budget.leases() != null) {
                leases().attach(this);
            }
        }

        Leases leases() {
            return Objects.requireNonNull(budget.leases());
        }

        Permits permits() {
            return Objects.requireNonNull(budget.permits());
        }

        BudgetStats.Leases leaseStats() {
            return Objects.requireNonNull(budget.stats().leases());
        }

        BudgetStats.Permits permitStats() {
            return Objects.requireNonNull(budget.stats().permits());
        }

        /** Asks for so many permits at once. */
        void wantPermits(int n, Urgency urgency) {
            for (int i = 0; i < n; i++) {
                var unused = permits().acquire(urgency).whenComplete((permit, error) -> {
                    if (permit == null) {
                        failedPermits++;
                    } else if (!dead) {
                        permitted.add(seconds());
                        permit.answered();
                    }
                });
            }
        }

        /** Asks for one permit and leaves it to the caller what becomes of it. */
        java.util.concurrent.CompletableFuture<Permit> wantPermit(Urgency urgency) {
            return permits().acquire(urgency).toCompletableFuture();
        }

        void wantLeases(int n) {
            for (int i = 0; i < n; i++) {
                var unused = leases().acquire().whenComplete((lease, error) -> {
                    if (lease == null) {
                        refusedLeases++;
                    } else if (!dead) {
                        held.add(lease);
                    }
                });
            }
        }

        /** Asks as an engine does: every few seconds for what is missing. */
        void keepAt(int n) {
            time.schedule(1, () -> refill(n));
        }

        private void refill(int n) {
            if (!dead) {
                wantLeases(n - held.size());
                time.schedule(2_000_000_000L, () -> refill(n));
            }
        }

        void release(int n) {
            for (int i = 0; i < n; i++) {
                leases().release(held.remove(held.size() - 1));
            }
        }

        /** Dies without a word. */
        void crash() {
            dead = true;
        }

        @Override
        public int recall(int leases) {
            int n = Math.min(leases, held.size());
            for (int i = 0; i < n; i++) {
                Lease lease = held.remove(held.size() - 1);
                time.schedule(50_000_000L, () -> leases().release(lease));
            }
            return n;
        }
    }
}
