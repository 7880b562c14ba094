package dev.reservoir.demo.sample;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.demo.fleet.EmulatedDatabase;
import dev.reservoir.demo.fleet.EmulatedDatabase.Refused;
import dev.reservoir.demo.fleet.Service;
import dev.reservoir.demo.fleet.ServicePool;
import dev.reservoir.demo.fleet.Side;
import dev.reservoir.demo.fleet.WorkDone;
import dev.reservoir.demo.sample.Snapshot.OfCluster;
import dev.reservoir.demo.sample.Snapshot.OfService;
import dev.reservoir.demo.sample.Snapshot.OfSide;
import dev.reservoir.demo.trouble.Troubles;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
    static final int WINDOW = 5;

    private final List<Side> sides;
    private final Troubles troubles;
    private final long beganNanos;
    private final Map<String, Track> tracks = new HashMap<>();

    public Sampler(List<Side> sides, Troubles troubles, long beganNanos) {
        this.sides = sides;
        this.troubles = troubles;
        this.beganNanos = beganNanos;
        sides.forEach(side -> tracks.put(side.name(), new Track()));
    }

    /** The values of one side that are needed for the next snapshot. */
    private static final class Track {
        final ArrayDeque<WorkDone> works = new ArrayDeque<>();
        final ArrayDeque<Long> times = new ArrayDeque<>();
        final Map<String, Long> replaced = new HashMap<>();
        long accepted;
        long refused;
    }

    public Snapshot look() {
        long now = System.nanoTime();
        List<OfSide> all = new ArrayList<>();
        for (Side side : sides) {
            all.add(look(side, Objects.requireNonNull(tracks.get(side.name())), now));
        }
        double rate = sides.get(0).database().limits().ratePerSecond();
        return new Snapshot(
                (now - beganNanos) / 1e9, rate, List.copyOf(all), cluster(), troubles.statuses(), troubles.events());
    }

    private static OfSide look(Side side, Track track, long now) {
        WorkDone done = side.done();
        track.works.add(done);
        track.times.add(now);
        if (track.works.size() > WINDOW + 1) {
            track.works.remove();
            track.times.remove();
        }
        WorkDone recent = done.since(track.works.getFirst());
        double seconds = Math.max(1, (now - track.times.getFirst()) / 1e9);
        EmulatedDatabase database = side.database();
        long accepted = database.accepted();
        Refused refused = database.refused();
        long connects = accepted - track.accepted;
        long refusals = refused.total() - track.refused;
        track.accepted = accepted;
        track.refused = refused.total();
        return new OfSide(
                side.name(),
                side.services().stream().map(service -> look(service, track)).toList(),
                database.open(),
                connects,
                refusals,
                refused,
                accepted,
                recent.completed() / seconds,
                done.completed(),
                done.failed(),
                recent.millisAt(50),
                recent.millisAt(99),
                recent.millisAt(100));
    }

    private static OfService look(Service service, Track track) {
        ServicePool.Levels levels = service.levels();
        Long before = track.replaced.put(service.name(), levels.replaced());
        // After a crash the count starts from zero again.
        long retiring = before == null ? 0 : Math.max(0, levels.replaced() - before);
        BudgetStats budget = service.budget();
        BudgetStats.Leases leases = budget == null ? null : budget.leases();
        return new OfService(
                service.name(),
                service.state(),
                levels.opening(),
                levels.ready(),
                levels.inUse(),
                (int) retiring,
                levels.waiting(),
                leases == null ? -1 : leases.share());
    }

    private @Nullable OfCluster cluster() {
        OfCluster found = null;
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
            found = new OfCluster(active, leases.limit(), members, away, takenBack);
        }
        return found;
    }
}
