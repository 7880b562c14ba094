package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Listener;
import dev.reservoir.sim.pools.Link;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the engine's promises in every process of a fleet, after every event. Never changes the course of the
 * simulation.
 */
public final class Promises {
    /** Time within which all processes must have ended after the simulation. It covers drain, connects and leases. */
    private static final long ENDS_WITHIN_NANOS = Duration.ofMinutes(15).toNanos();

    final Fleet fleet;
    private final BudgetPromises budgets;
    private final Map<SimulatedProcess, ProcessPromises> watches = new LinkedHashMap<>();
    private final Set<ProcessPromises> touched = new LinkedHashSet<>();

    /** The processes with an event since the last moment at which no further event was due. */
    private final Set<ProcessPromises> unsettled = new LinkedHashSet<>();

    private @Nullable String broken;
    private long brokenAtNanos;

    private Promises(Fleet fleet) {
        this.fleet = fleet;
        budgets = new BudgetPromises(fleet, fleet.scenario);
    }

    /** Checks a fleet in which no process has started yet. */
    public static Promises of(Fleet fleet) {
        Promises promises = new Promises(fleet);
        fleet.watchedBy(promises);
        return promises;
    }

    List<Listener<Link>> watch(SimulatedProcess process, boolean leased) {
        ProcessPromises watch = new ProcessPromises(this, process, leased);
        watches.put(process, watch);
        return List.of(watch);
    }

    /** Called before each event in this process. */
    void touches(SimulatedProcess process) {
        ProcessPromises watch = watches.get(process);
        if (watch != null) {
            touched.add(watch);
        }
    }

    void broke(int promise, String how) {
        broke("promise " + promise + ": " + how);
    }

    private void broke(@Nullable String what) {
        if (broken == null && what != null) {
            broken = what;
            brokenAtNanos = fleet.nanos();
        }
    }

    /** Checks every process with an event since the last check, and the counts of the fleet. */
    public void check() {
        broke(budgets.wrong());
        for (ProcessPromises watch : touched) {
            watch.check();
            broke(budgets.wrong(watch.process()));
            unsettled.add(watch);
        }
        touched.clear();
        if (!unsettled.isEmpty() && fleet.isSettled()) {
            unsettled.forEach(ProcessPromises::checkSettled);
            unsettled.clear();
        }
    }

    /** Stops every process and checks that nothing is left. The fleet cannot be used afterwards. */
    public void end() {
        fleet.end();
        long until = fleet.nanos() + ENDS_WITHIN_NANOS;
        while (broken == null && fleet.step(until)) {
            check();
        }
        if (broken != null) {
            return;
        }
        fleet.moveTo(until);
        List<String> left = new ArrayList<>();
        for (Map.Entry<SimulatedProcess, ProcessPromises> entry : watches.entrySet()) {
            SimulatedProcess process = entry.getKey();
            if (process.isDead() || process.time.standsStill()) {
                continue;
            }
            if (process.hasWaiters()) {
                broke(6, process.name + ": a checkout never ended");
            } else if (!process.isGone()) {
                left.add(process.name + " is not closed: " + process.state());
            } else if (!process.links.isEmpty()) {
                left.add(process.name + " left " + process.links.size() + " connections open");
            } else if (!process.leases.isEmpty() && entry.getValue().gaveLeasesBack()) {
                left.add(process.name + " left " + process.leases.size() + " leases");
            }
        }
        if (!left.isEmpty()) {
            broke(9, String.join("; ", left));
        }
        broke(budgets.wrongAtTheEnd());
    }

    /** The first promise that was broken, in words; null if all were kept. */
    public @Nullable String broken() {
        return broken;
    }

    /** The time at which it was broken. */
    public long brokenAtNanos() {
        return brokenAtNanos;
    }
}
