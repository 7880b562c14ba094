package dev.reservoir.sim.world;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.sim.result.Counters;
import dev.reservoir.sim.result.Outcome.BudgetUse;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the production cluster budget: one {@link ClusterBudget} in each process, all on one table in memory. Checks the
 * counts in the table. Never adds behaviour of its own, except the faults on the way to the table.
 */
final class ClusterCoordinator implements FleetCoordinator {
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** Start of simulated time, at the beginning of 2026. A random part of a second is added to it. */
    private static final long BEGIN_NANOS = 1_767_225_600L * SECOND_NANOS;

    private static final String CLUSTER = "fleet";

    // Keys of the items in the table that the processes of a fleet share.
    private static final String COUNT = "reservoir_count#" + CLUSTER;
    private static final String MEMBER_PREFIX = "reservoir_member#" + CLUSTER + "#";
    private static final String MEMBERS_PREFIX = "reservoir_members#" + CLUSTER + "#";

    private final VirtualTime clock;
    private final Scenario.Limiter limiter;
    private final Scenario.Coordinator settings;
    private final RandomGenerator random;
    private final long beginNanos;
    private final ModelTable table;
    private final Way way = new Way();

    /** All processes ever started, by name. Its order is never used. */
    private final Map<String, Member> members = new HashMap<>();

    /** The processes whose figures are not yet in the sum. */
    private final Set<Member> counting = new LinkedHashSet<>();

    private final Counters<BudgetUse> figures = Counters.of(BudgetUse.class);
    private boolean away;
    private boolean writesThrottled;
    private long checkedChanges = -1;
    private @Nullable String wrong;

    ClusterCoordinator(
            VirtualTime clock, Scenario.Limiter limiter, Scenario.Coordinator settings, RandomGenerator random) {
        this.clock = clock;
        this.limiter = limiter;
        this.settings = settings;
        this.random = random;
        this.beginNanos = BEGIN_NANOS + (long) (random.nextDouble() * SECOND_NANOS);
        this.table = new ModelTable(() -> epochNanos() / SECOND_NANOS);
    }

    /** The true time, in nanoseconds since 1970. */
    private long epochNanos() {
        return beginNanos + clock.nanos();
    }

    /** The table with the shared state. */
    ModelTable table() {
        return table;
    }

    @Override
    public void goAway() {
        away = true;
    }

    @Override
    public void comeBack() {
        away = false;
    }

    @Override
    public void throttleWrites(boolean throttled) {
        writesThrottled = throttled;
    }

    @Override
    public Part partOf(SimulatedProcess process, RandomGenerator ofProcess) {
        Permits own = FleetCoordinator.ofItsOwn(limiter, process);
        Member member = new Member(process.service);
        if (own == null || settings.leaseLimit() > 0) {
            member.budget = budget(process, ofProcess);
            members.put(process.name, member);
            counting.add(member);
        }
        return member.part(own, process);
    }

    private ClusterBudget budget(SimulatedProcess process, RandomGenerator ofProcess) {
        ClusterSettings chosen = ClusterSettings.builder(CLUSTER)
                .host(process.name)
                .permitMode(limiter.sharing() == Sharing.SHARED ? PermitMode.RESERVATION : null)
                .ratePerSecond(limiter.perSecond())
                .burst(limiter.burst())
                .leaseMode(settings.leaseLimit() > 0 ? LeaseMode.SHARE : null)
                .limit(Math.max(1, settings.leaseLimit()))
                .leaseTime(settings.leaseTime())
                .whenAway(settings.whenAway() == Scenario.WhenAway.STOP ? WhenAway.STOP : WhenAway.LOCAL_SHARE)
                .logged(false)
                .build();
        long offNanos = (long) (settings.clockSkew().toNanos() * (2 * ofProcess.nextDouble() - 1));
        LongSupplier latency = () -> settings.latency().draw(random);
        ThrottlingStore store = new ThrottlingStore(
                new ModelStore(table, clock, process.time, latency, way), process.time, latency, () -> writesThrottled);
        return ClusterBudget.start(
                chosen, store, store, process.time, () -> Instant.ofEpochSecond(0, epochNanos() + offNanos), ofProcess);
    }

    // The counts in the table.

    @Override
    public void countLeases(List<ServiceCounts> services) {
        if (settings.leaseLimit() == 0) {
            return;
        }
        // Remembers a mistake, if there is one.
        var unused = wrong();
        services.forEach(service -> service.leases = 0);
        table.forEach(MEMBER_PREFIX, (key, item) -> member(item).service.leases += share(item));
    }

    private Member member(Item item) {
        Member member = members.get(item.text("host"));
        if (member == null) {
            throw new IllegalStateException("bug: nobody is " + item.text("host"));
        }
        return member;
    }

    private static int share(Item item) {
        return (int) item.number("share", 0);
    }

    @Override
    public @Nullable String wrong() {
        if (wrong == null && checkedChanges != table.changes()) {
            checkedChanges = table.changes();
            wrong = wrongNow();
        }
        return wrong;
    }

    private @Nullable String wrongNow() {
        long[] sums = new long[3];
        counting.forEach(member -> member.share = 0);
        table.forEach(MEMBER_PREFIX, (key, item) -> {
            sums[0]++;
            sums[1] += share(item);
            member(item).share = share(item);
        });
        long total = number(table.item(COUNT), "total");
        table.forEach(MEMBERS_PREFIX, (key, item) -> {
            sums[1] += item.number("free", 0);
            sums[2] += item.texts("ids").size();
        });
        if (total != sums[1]) {
            return "the count is " + total + ", the shares add up to " + sums[1];
        }
        if (settings.leaseLimit() > 0 && total > settings.leaseLimit()) {
            return "the count is " + total + ", the limit " + settings.leaseLimit();
        }
        return sums[2] == sums[0] ? null : sums[0] + " members, " + sums[2] + " known by name";
    }

    private static long number(@Nullable Item item, String name) {
        return item == null ? 0 : item.number(name, 0);
    }

    @Override
    public Fleet.Match match(List<SimulatedProcess> everyone, long calmSinceNanos) {
        List<String> faults = new ArrayList<>();
        if (wrong() != null) {
            faults.add("the counts are inconsistent: " + wrong());
        }
        int used = 0;
        int open = 0;
        int between = 0;
        for (SimulatedProcess process : everyone) {
            if (!process.isDead()) {
                int links = process.links.size() - process.slowCloses;
                int changing = process.state().opening() + process.state().closing();
                int leases = process.leases.size();
                open += links;
                used += leases;
                between += changing;
                if (leases < links || leases > links + changing || leases != usedAsBudgeted(process)) {
                    faults.add(process.name + " has " + links + " connections on " + leases + " leases");
                }
            }
        }
        long out = number(table.item(COUNT), "total");
        if (out < open) {
            faults.add("more connections than leases");
        }
        int ofTheDead = ofTheDead(calmSinceNanos);
        if (ofTheDead > 0) {
            faults.add(ofTheDead + " leases of processes that died");
        }
        faults.add(
                out + " leases out, " + used + " used, " + open + " connections, " + between + " opening or closing");
        return new Fleet.Match(
                faults.size() == 1,
                "every connection has its lease at the end, dead processes have none",
                String.join("; ", faults));
    }

    /** The number of leases in use according to the process's own budget. */
    private int usedAsBudgeted(SimulatedProcess process) {
        Member member = members.get(process.name);
        ClusterBudget budget = member == null ? null : member.budget;
        BudgetStats.Leases leases = budget == null ? null : budget.stats().leases();
        return leases == null ? 0 : leases.used();
    }

    /** The number of leases of dead processes that the others should have taken back by now. */
    private int ofTheDead(long calmSinceNanos) {
        if (away || writesThrottled) {
            return 0;
        }
        int[] sum = {0};
        long lastDeath = clock.nanos() - settings.leaseTime().toNanos();
        table.forEach(MEMBER_PREFIX, (key, item) -> {
            if (Math.max(member(item).diedNanos, calmSinceNanos) < lastDeath && member(item).diedNanos >= 0) {
                sum[0] += share(item);
            }
        });
        return sum[0];
    }

    @Override
    public int shareOf(SimulatedProcess process) {
        var unused = wrong();
        Member member = members.get(process.name);
        return member == null ? 0 : member.share;
    }

    @Override
    public List<String> leftBehind() {
        List<String> left = new ArrayList<>();
        table.forEach(MEMBER_PREFIX, (key, item) -> {
            if (member(item).closed) {
                left.add(item.text("host") + " with a share of " + share(item));
            }
        });
        return left;
    }

    @Override
    public @Nullable Counters<BudgetUse> figures() {
        Counters<BudgetUse> sum = figures.copy();
        counting.forEach(member -> member.addFigures(sum));
        return members.isEmpty() ? null : sum;
    }

    /** Injects the faults on the way to the table: outages, lost answers and conflicts. */
    private final class Way implements ModelStore.Trouble {
        @Override
        public boolean isCut() {
            return away;
        }

        @Override
        public boolean losesAnswer() {
            return happens(settings.loseAnswers());
        }

        @Override
        public boolean meetsConflict() {
            return happens(settings.conflicts());
        }

        private boolean happens(double share) {
            return share > 0 && random.nextDouble() < share;
        }
    }

    /** One process as the coordinator knows it. */
    private final class Member {
        private final ServiceCounts service;
        private @Nullable ClusterBudget budget;
        private long diedNanos = -1;

        /** The number of leases at the last check of the table. */
        private int share;

        /** Whether the process has closed its pool in order. */
        private boolean closed;

        Member(ServiceCounts service) {
            this.service = service;
        }

        Part part(@Nullable Permits own, SimulatedProcess process) {
            Permits shared = budget == null ? null : budget.permits();
            Leases counted = budget == null ? null : budget.leases();
            Permits permits = own != null
                    ? own
                    : CountedPermits.patient(Objects.requireNonNull(shared), process, CountedPermits.ASKING_NANOS);
            Leases leases = counted == null ? null : new CountedLeases(counted, process);
            return new Part(permits, leases, this::leave, this::died);
        }

        private void leave() {
            closed = true;
            if (budget != null) {
                var unused = budget.leave().thenRun(this::over);
            }
        }

        private void died() {
            diedNanos = clock.nanos();
            over();
        }

        /** Adds the final figures of the process to the sum and drops its budget. */
        private void over() {
            if (counting.remove(this)) {
                addFigures(figures);
                budget = null;
            }
        }

        private void addFigures(Counters<BudgetUse> to) {
            if (budget == null) {
                return;
            }
            BudgetStats stats = budget.stats();
            BudgetStats.Permits permits = stats.permits();
            if (permits != null) {
                to.add(BudgetUse.PERMITS, permits.granted())
                        .add(BudgetUse.PERMITS_DENIED, permits.denied())
                        .add(BudgetUse.PERMITS_FAILED, permits.failed())
                        .add(BudgetUse.PERMITS_GIVEN_BACK, permits.givenBack())
                        .add(BudgetUse.PERMITS_LAPSED, permits.lapsed());
            }
            BudgetStats.Leases leases = stats.leases();
            if (leases != null) {
                to.add(BudgetUse.LEASES_DENIED, leases.denied())
                        .add(BudgetUse.DECLARED_DEAD, leases.declaredDead())
                        .add(BudgetUse.LEASES_TAKEN_BACK, leases.takenBack());
            }
            to.add(BudgetUse.CALLS, stats.calls().calls())
                    .add(BudgetUse.ITEMS_READ, stats.calls().itemsRead())
                    .add(BudgetUse.ITEMS_WRITTEN, stats.calls().itemsWritten());
        }
    }
}
