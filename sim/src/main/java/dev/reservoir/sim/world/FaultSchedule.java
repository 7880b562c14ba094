package dev.reservoir.sim.world;

import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Carries out the faults and planned changes of a scenario, each at its time. */
final class FaultSchedule {
    private final Fleet fleet;
    private final SplittableRandom random;

    /** The faults with a duration that have not ended yet, by kind, in the order of their start. */
    private final Map<FaultKind, List<Fault>> ongoing = new EnumMap<>(FaultKind.class);

    private FaultSchedule(Fleet fleet, SplittableRandom random) {
        this.fleet = fleet;
        this.random = random;
    }

    static void schedule(Fleet fleet, SplittableRandom random) {
        FaultSchedule faults = new FaultSchedule(fleet, random);
        for (Fault fault : fleet.scenario.faults()) {
            fleet.clock.start(fault.at().toNanos(), () -> faults.begin(fault));
        }
    }

    private void begin(Fault fault) {
        switch (fault.kind()) {
            case DROP -> drop(fault);
            case RESTART -> restart(fault);
            case CRASH -> crash(fault);
            case HANG -> hang(fault);
            case SCALE -> scale(fault);
            case COORDINATOR_OUTAGE ->
                outage(
                        fault,
                        "the coordinator is away",
                        "the coordinator is back",
                        fleet.coordinator::goAway,
                        fleet.coordinator::comeBack);
            case WRITES_THROTTLED ->
                outage(
                        fault,
                        "the coordinator throttles all writes",
                        "the coordinator takes writes again",
                        () -> fleet.coordinator.throttleWrites(true),
                        () -> fleet.coordinator.throttleWrites(false));
            case TOKEN_OUTAGE ->
                outage(
                        fault,
                        "the token service is away",
                        "the token service is back",
                        () -> fleet.tokensAway = true,
                        () -> fleet.tokensAway = false);
            case DATABASE_OUTAGE ->
                outage(
                        fault,
                        "the database is down",
                        "the database is back",
                        () -> fleet.database.goAway(fleet.known()),
                        fleet.database::comeBack);
            case HUNG_CONNECTS -> {
                mark(percent(fault.fraction()) + " of the connects hang");
                lasting(fault, "connects no longer hang", this::hangConnects);
            }
            case SLOW_CONNECTS -> {
                mark("connects take " + fault.handshake());
                lasting(fault, "connects are as fast as before", this::slowConnects);
            }
        }
    }

    private void mark(String text) {
        fleet.mark("fault", text);
    }

    /** Begins an outage with the first fault of its kind and ends it with the last one. */
    private void outage(Fault fault, String begins, String ends, Runnable goAway, Runnable comeBack) {
        mark(begins);
        boolean first = ongoing.getOrDefault(fault.kind(), List.of()).isEmpty();
        lasting(fault, ends, all -> {
            if (all.isEmpty()) {
                comeBack.run();
            }
        });
        if (first) {
            goAway.run();
        }
    }

    /** Calls {@code change} with all ongoing faults of the same kind, when this fault begins and again when it ends. */
    private void lasting(Fault fault, String ends, Consumer<List<Fault>> change) {
        List<Fault> same = ongoing.computeIfAbsent(fault.kind(), kind -> new ArrayList<>());
        same.add(fault);
        change.accept(same);
        after(fault.lasts(), () -> {
            // If two faults are equal, it does not matter which one is removed.
            same.remove(fault);
            if (same.isEmpty()) {
                fleet.mark("recovery", ends);
            }
            change.accept(same);
        });
    }

    private void hangConnects(List<Fault> all) {
        fleet.database.hang(all.stream().mapToDouble(Fault::fraction).max().orElse(0));
    }

    private void slowConnects(List<Fault> all) {
        fleet.database.slowDown(all.isEmpty() ? null : all.get(all.size() - 1).handshake());
    }

    private void after(Duration lasts, Runnable recovery) {
        fleet.clock.start(lasts.toNanos(), recovery);
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }

    private List<ServiceCounts> hit(Fault fault) {
        return fleet.services().stream()
                .filter(s -> fault.services().isEmpty() || fault.services().contains(s.service.name()))
                .toList();
    }

    private List<SimulatedProcess> processes(Fault fault) {
        List<SimulatedProcess> all = new ArrayList<>();
        hit(fault).forEach(s -> all.addAll(s.running));
        return all;
    }

    /** A share of these, drawn at random, in their order. */
    private <T> List<T> some(List<T> all, double share) {
        int wanted = (int) Math.round(all.size() * share);
        List<T> drawn = new ArrayList<>();
        for (int i = 0; i < all.size() && drawn.size() < wanted; i++) {
            if (random.nextInt(all.size() - i) < wanted - drawn.size()) {
                drawn.add(all.get(i));
            }
        }
        return drawn;
    }

    private void drop(Fault fault) {
        int count = 0;
        for (ServiceCounts service : hit(fault)) {
            List<Link> links = new ArrayList<>();
            service.running.forEach(p -> links.addAll(p.links));
            List<Link> lost = some(links, fault.fraction());
            lost.forEach(fleet.database::drop);
            count += lost.size();
        }
        mark("the database drops " + count + " connections");
    }

    private void restart(Fault fault) {
        List<List<SimulatedProcess>> turns = new ArrayList<>();
        for (ServiceCounts service : hit(fault)) {
            if (fault.byService()) {
                turns.add(List.copyOf(service.running));
            } else {
                service.running.forEach(p -> turns.add(List.of(p)));
            }
        }
        long delay = 0;
        for (List<SimulatedProcess> turn : turns) {
            fleet.clock.start(delay, () -> restart(turn));
            delay += fault.every().toNanos();
        }
    }

    private void restart(List<SimulatedProcess> turn) {
        for (SimulatedProcess process : turn) {
            // The process may have died meanwhile, or another fault may have restarted it.
            if (process.service.running.contains(process)) {
                mark(process.name + " restarts");
                fleet.stop(process);
                fleet.start(process.service);
            }
        }
    }

    private void crash(Fault fault) {
        List<SimulatedProcess> victims = some(processes(fault), fault.fraction());
        mark(victims.size() + " processes die");
        boolean forGood = fault.lasts().isZero();
        for (SimulatedProcess victim : victims) {
            victim.service.desired -= forGood ? 1 : 0;
            fleet.crash(victim);
        }
        if (!forGood) {
            after(fault.lasts(), () -> {
                int back = 0;
                for (SimulatedProcess victim : victims) {
                    back += fleet.startMissing(victim.service, 1);
                }
                fleet.mark("recovery", back + " processes start again");
            });
        }
    }

    private void hang(Fault fault) {
        List<SimulatedProcess> victims = some(processes(fault), fault.fraction());
        mark(victims.size() + " processes hang");
        victims.forEach(SimulatedProcess::stand);
        after(fault.lasts(), () -> {
            fleet.mark("recovery", victims.size() + " processes continue");
            victims.forEach(SimulatedProcess::goOn);
        });
    }

    private void scale(Fault fault) {
        for (ServiceCounts service : hit(fault)) {
            mark(service.service.name() + " is scaled from " + service.running.size() + " to " + fault.instances()
                    + " processes");
            fleet.scale(service, fault.instances());
        }
    }
}
