package dev.reservoir.sim.world;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.pools.PoolEvents;
import dev.reservoir.sim.pools.SimulatedPool;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What is counted of one service, over all its processes, those included that are gone. */
final class ServiceCounts {
    final Scenario.Service service;
    final int index;

    /** The processes that run, or stand still. */
    final List<SimulatedProcess> running = new ArrayList<>();

    /** How many are to run. */
    int desired;

    private final Convergence convergence;

    /** All waits of the simulation, of all services. */
    private final WaitTimes allWaits;

    /** Those since the last sample. */
    private final WaitTimes waits = new WaitTimes();

    int open;
    int leases;
    long checkouts;
    long emptyEvents;
    long timeouts;
    long refills;
    long refused;
    long limiterDenies;
    long workStarted;
    long workCompleted;
    long conflicts;
    long failedWork;
    private final Tally<DiscardReason> discards = new Tally<>(DiscardReason.class);
    private final Tally<OpenFailureReason> openFailures = new Tally<>(OpenFailureReason.class);

    /** Of processes that have had their target: what they are to have, and what of it is usable. */
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

    void handedOutAtOnce() {
        checkouts++;
        waits.none();
        allWaits.none();
    }

    void waited(long nanos, boolean served) {
        if (served) {
            checkouts++;
        } else {
            timeouts++;
        }
        waits.add(nanos);
        allWaits.add(nanos);
    }

    /** What the pool of a process tells. */
    PoolEvents eventsOf(SimulatedProcess process) {
        return new PoolEvents() {
            @Override
            public void opened(Link link) {
                refills++;
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
                emptyEvents++;
            }
        };
    }

    /** What is usable has changed, or what is to be. */
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
                state.ready(),
                state.inUse(),
                state.validating(),
                state.opening(),
                state.closing(),
                usable,
                open,
                state.waiting(),
                leases,
                checkouts,
                emptyEvents,
                timeouts,
                refills,
                refused,
                limiterDenies,
                workStarted,
                workCompleted,
                conflicts,
                failedWork,
                waits.percentile(50),
                waits.percentile(99),
                waits.percentile(99.9),
                waits.max(),
                discards.now(),
                openFailures.now());
        waits.reset();
        return sample;
    }

    /** Counts by reason, and hands out what it has counted so far; the same map as long as nothing is added. */
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
                // In the order of the reasons, on every machine.
                copy = Collections.unmodifiableMap(new EnumMap<>(counts));
                changed = false;
            }
            return copy;
        }
    }
}
