package dev.reservoir.sim.world;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.pools.PoolEvents;
import dev.reservoir.sim.pools.SimulatedPool;
import dev.reservoir.sim.result.Counters;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.result.Sample.Event;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.stats.Convergence;
import dev.reservoir.sim.stats.WaitTimes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts for one service, over all its processes, including those that have ended. */
final class ServiceCounts {
    final Scenario.Service service;
    final int index;

    /** The processes that run, including those that hang. */
    final List<SimulatedProcess> running = new ArrayList<>();

    /** The number of processes that should run. */
    int desired;

    private final Convergence convergence;

    /** The waits of all services over the whole simulation. */
    private final WaitTimes allWaits;

    /** The waits of this service since the last sample. */
    private final WaitTimes waits = new WaitTimes();

    int open;
    int leases;
    private final Counters<Event> events = Counters.of(Event.class);
    private final Tally<DiscardReason> discards = new Tally<>(DiscardReason.class);
    private final Tally<OpenFailureReason> openFailures = new Tally<>(OpenFailureReason.class);

    /** Targets of the processes that have had their target once. The next field counts their usable connections. */
    int countedTarget;

    int countedUsable;
    boolean everFull;
    double smallestShare = 1;
    long smallestShareAtNanos;

    private boolean atTarget;
    int usable;
    int target;

    ServiceCounts(Scenario.Service service, int index, Convergence convergence, WaitTimes allWaits) {
        this.service = service;
        this.index = index;
        this.desired = service.instances();
        this.convergence = convergence;
        this.allWaits = allWaits;
    }

    void count(Event event) {
        events.add(event, 1);
    }

    void handedOutAtOnce() {
        count(Event.CHECKOUTS);
        waits.none();
        allWaits.none();
    }

    void waited(long nanos, boolean served) {
        count(served ? Event.CHECKOUTS : Event.TIMEOUTS);
        waits.add(nanos);
        allWaits.add(nanos);
    }

    /** Receives the events of a process's pool. */
    PoolEvents eventsOf(SimulatedProcess process) {
        return new PoolEvents() {
            @Override
            public void opened(Link link) {
                count(Event.REFILLS);
                process.holds(link);
            }

            @Override
            public void discarded(Link link, DiscardReason reason) {
                discards.count(reason);
                process.holdsNoMore(link);
            }

            @Override
            public void openFailed(OpenFailureReason reason) {
                openFailures.count(reason);
            }

            @Override
            public void empty() {
                count(Event.EMPTY_EVENTS);
            }
        };
    }

    /** Called when the number of usable connections or the target has changed. */
    void usableChanged(long nowNanos) {
        if (countedTarget > 0) {
            everFull = true;
            double share = Math.min(1, (double) countedUsable / countedTarget);
            if (share < smallestShare) {
                smallestShare = share;
                smallestShareAtNanos = nowNanos;
            }
        }
        boolean hasTarget = usable >= target && running.size() == desired;
        if (hasTarget != atTarget) {
            atTarget = hasTarget;
            convergence.changed(hasTarget, nowNanos);
        }
    }

    Sample sample(long nowNanos) {
        SimulatedPool.State state = SimulatedPool.State.NONE;
        for (SimulatedProcess process : running) {
            state = state.plus(process.state());
        }
        Sample sample = new Sample(
                nowNanos,
                service.name(),
                running.size(),
                target,
                usable,
                open,
                leases,
                state,
                events.copy(),
                waits.summary(),
                discards.now(),
                openFailures.now());
        waits.reset();
        return sample;
    }

    /** Counts by reason. Returns the same map until the next count, so that samples share it. */
    private static final class Tally<K extends Enum<K>> {
        private final EnumMap<K, Long> counts;
        private Map<K, Long> copy = Map.of();
        private boolean changed;

        Tally(Class<K> reasons) {
            counts = new EnumMap<>(reasons);
        }

        void count(K reason) {
            counts.merge(reason, 1L, Long::sum);
            changed = true;
        }

        Map<K, Long> now() {
            if (changed) {
                // An EnumMap keeps the order of the reasons on every machine.
                copy = Collections.unmodifiableMap(new EnumMap<>(counts));
                changed = false;
            }
            return copy;
        }
    }
}
