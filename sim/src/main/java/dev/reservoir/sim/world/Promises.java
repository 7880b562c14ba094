package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Listener;
import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.scenario.Scenario;
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

    private final boolean leased;
    private final BudgetPromises budgets;
    private final Map<SimulatedProcess, ProcessPromises> checks = new LinkedHashMap<>();
    private final Set<ProcessPromises> touched = new LinkedHashSet<>();

    /** The processes with an event since the last moment at which no further event was due. */
    private final Set<ProcessPromises> unsettled = new LinkedHashSet<>();

    private @Nullable String broken;
    private long brokenAtNanos = -1;

    /** Creates checks for one fleet, which gets them when it is created. */
    public Promises(Scenario scenario) {
        leased = scenario.coordinator().leaseLimit() > 0;
        budgets = new BudgetPromises(scenario);
    }

    /** Checks a process from now on. Returns the listeners that its engine must have. */
    List<Listener<Link>> listenTo(SimulatedProcess process) {
        ProcessPromises check = new ProcessPromises(this, process, leased);
        checks.put(process, check);
        return List.of(check);
    }

    /** Called before each event in this process. */
    void touches(SimulatedProcess process) {
        ProcessPromises check = checks.get(process);
        if (check != null) {
            touched.add(check);
        }
    }

    void broke(int promise, String how) {
        broke("promise " + promise + ": " + how);
    }

    private void broke(@Nullable String what) {
        if (broken == null) {
            broken = what;
        }
    }

    /** Checks every process with an event since the last check, and the counts of the fleet. */
    public void check(Fleet fleet) {
        broke(budgets.wrong(fleet));
        for (ProcessPromises check : touched) {
            check.check();
            broke(budgets.wrong(fleet.coordinator, check.process()));
            unsettled.add(check);
        }
        touched.clear();
        if (!unsettled.isEmpty() && fleet.isSettled()) {
            unsettled.forEach(ProcessPromises::checkSettled);
            unsettled.clear();
        }
        noteTime(fleet);
    }

    private void noteTime(Fleet fleet) {
        if (broken != null && brokenAtNanos < 0) {
            brokenAtNanos = fleet.nanos();
        }
    }

    /** Stops every process and checks that nothing is left. The fleet cannot be used afterwards. */
    public void end(Fleet fleet) {
        fleet.end();
        long until = fleet.nanos() + ENDS_WITHIN_NANOS;
        while (broken == null && fleet.step(until)) {
            check(fleet);
        }
        noteTime(fleet);
        if (broken != null) {
            return;
        }
        fleet.moveTo(until);
        List<String> left = new ArrayList<>();
        for (Map.Entry<SimulatedProcess, ProcessPromises> entry : checks.entrySet()) {
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
        broke(budgets.wrongAtTheEnd(fleet.coordinator));
        noteTime(fleet);
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
