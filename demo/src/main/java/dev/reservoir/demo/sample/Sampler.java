package dev.reservoir.demo.sample;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.fleet.EmulatedDatabase;
import dev.reservoir.demo.fleet.EmulatedDatabase.Refused;
import dev.reservoir.demo.fleet.Service;
import dev.reservoir.demo.fleet.ServicePool;
import dev.reservoir.demo.fleet.Side;
import dev.reservoir.demo.fleet.WorkDone;
import dev.reservoir.demo.sample.Snapshot.ClusterSnapshot;
import dev.reservoir.demo.sample.Snapshot.ServiceSnapshot;
import dev.reservoir.demo.sample.Snapshot.SideSnapshot;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes a snapshot of both sides once a second. Used by one thread. */
public final class Sampler {
    /**
     * Number of seconds over which latency and workflows per second are computed. A single second has too few
     * workflows.
     */
    static final int WINDOW_SECONDS = 5;

    private final List<Side> sides;
    private final FaultInjector faults;
    private final long beganNanos;
    private final Map<String, Previous> previousValues = new HashMap<>();

    public Sampler(List<Side> sides, FaultInjector faults, long beganNanos) {
        this.sides = sides;
        this.faults = faults;
        this.beganNanos = beganNanos;
        sides.forEach(side -> previousValues.put(side.name(), new Previous()));
    }

    /** The values of one side that are needed for the next snapshot. */
    private static final class Previous {
        final ArrayDeque<WorkDone> works = new ArrayDeque<>();
        final ArrayDeque<Long> times = new ArrayDeque<>();
        final Map<String, Long> replaced = new HashMap<>();
        long accepted;
        long refused;
    }

    /** Takes a snapshot. Does not block. */
    public Snapshot sample() {
        long now = System.nanoTime();
        List<SideSnapshot> all = sides.stream()
                .map(side -> sample(side, Objects.requireNonNull(previousValues.get(side.name())), now))
                .toList();
        double rate = sides.get(0).database().emulator().limits().ratePerSecond();
        return new Snapshot((now - beganNanos) / 1e9, rate, all, cluster(), faults.statuses(), faults.events());
    }

    private static SideSnapshot sample(Side side, Previous previous, long now) {
        WorkDone done = side.done();
        previous.works.add(done);
        previous.times.add(now);
        if (previous.works.size() > WINDOW_SECONDS + 1) {
            previous.works.remove();
            previous.times.remove();
        }
        WorkDone recent = done.since(previous.works.getFirst());
        double seconds = Math.max(1, (now - previous.times.getFirst()) / 1e9);
        EmulatedDatabase database = side.database();
        long accepted = database.accepted();
        Refused refused = database.refused();
        long connects = accepted - previous.accepted;
        long refusals = refused.total() - previous.refused;
        previous.accepted = accepted;
        previous.refused = refused.total();
        return new SideSnapshot(
                side.name(),
                side.services().stream()
                        .map(service -> sample(service, previous))
                        .toList(),
                database.open(),
                connects,
                refusals,
                refused,
                recent.completed() / seconds,
                done.completed(),
                done.failed(),
                recent.latency());
    }

    private static ServiceSnapshot sample(Service service, Previous previous) {
        ServicePool.Levels levels = service.levels();
        Long before = previous.replaced.put(service.name(), levels.replaced());
        // After a crash the count starts from zero again.
        long retiring = before == null ? 0 : Math.max(0, levels.replaced() - before);
        BudgetStats budget = service.budget();
        BudgetStats.Leases leases = budget == null ? null : budget.leases();
        return new ServiceSnapshot(
                service.name(),
                service.state(),
                levels.opening(),
                levels.ready(),
                levels.inUse(),
                (int) retiring,
                levels.waiting(),
                leases == null ? -1 : leases.share());
    }

    private @Nullable ClusterSnapshot cluster() {
        ClusterSnapshot found = null;
        for (Service service : sides.get(0).services()) {
            BudgetStats budget = service.budget();
            BudgetStats.Leases leases = budget == null ? null : budget.leases();
            if (budget == null || leases == null) {
                continue;
            }
            // Each service knows only what it last read. The largest numbers come from the service that read last, or
            // from one that has not noticed a death yet.
            long takenBack = leases.takenBack() + (found == null ? 0 : found.takenBack());
            boolean away = budget.away() || (found != null && found.away());
            long active = Math.max(leases.active(), found == null ? 0 : found.leases());
            int members = Math.max(budget.members(), found == null ? 0 : found.members());
            found = new ClusterSnapshot(active, leases.limit(), members, away, takenBack);
        }
        return found;
    }
}
