package dev.reservoir.sim.fuzz;

import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.PartPlaces;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.ScenarioPart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Makes a failing scenario smaller while it still fails: fewer faults, fewer services, a shorter run, simpler settings.
 * The table of keys says how each setting becomes simpler.
 */
public final class Shrink {
    /**
     * Largest number of runs. A scenario that still shrinks after that is either small enough or too slow to continue
     * with.
     */
    private static final int RUNS_MAX = 400;

    private static final Duration SHORTEST = Duration.ofSeconds(2);

    private final Predicate<Scenario> fails;
    private int runs;

    private Shrink(Predicate<Scenario> fails) {
        this.fails = fails;
    }

    /** The smallest scenario found that still fails. Blocks while it runs candidates. */
    public static Scenario shrink(Scenario scenario, Predicate<Scenario> fails) {
        return new Shrink(fails).run(scenario);
    }

    private Scenario run(Scenario scenario) {
        Scenario smallest = scenario;
        boolean smaller = true;
        while (smaller && runs < RUNS_MAX) {
            smaller = false;
            for (Scenario candidate : candidates(smallest)) {
                if (stillFails(candidate, smallest)) {
                    smallest = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        return smallest;
    }

    private boolean stillFails(Scenario candidate, Scenario smallest) {
        if (runs >= RUNS_MAX || candidate.equals(smallest)) {
            return false;
        }
        runs++;
        return fails.test(candidate);
    }

    /** All simpler variants of a scenario, the largest steps first. */
    private static List<Scenario> candidates(Scenario s) {
        List<Scenario> all = new ArrayList<>();
        for (int i = 0; i < s.faults().size(); i++) {
            List<Fault> fewer = new ArrayList<>(s.faults());
            fewer.remove(i);
            all.add(s.with(ScenarioKeys.FAULTS, List.copyOf(fewer)));
        }
        for (int i = 0; s.services().size() > 1 && i < s.services().size(); i++) {
            all.add(withoutService(s, i));
        }
        for (int tenths : new int[] {5, 8, 9}) {
            Duration end = Duration.ofMillis(s.duration().toMillis() * tenths / 10);
            if (end.compareTo(SHORTEST) >= 0 && startsWithin(s, end)) {
                all.add(until(s, end));
            }
        }
        addEach(s, Workload.class, workload -> List.of(ScenarioKeys.defaults(Workload.class)), all);
        addSimpler(s, Service.class, all);
        addSimpler(s, Pool.class, all);
        addSimpler(s, Workload.class, all);
        addSimpler(s, Limiter.class, all);
        addSimpler(s, Coordinator.class, all);
        addSimpler(s, Database.class, all);
        addSimpler(s, Tokens.class, all);
        return all;
    }

    private static boolean startsWithin(Scenario s, Duration end) {
        return s.services().stream()
                .allMatch(v -> v.startDelay()
                                .plus(v.instanceDelay().multipliedBy(v.instances() - 1L))
                                .compareTo(end)
                        <= 0);
    }

    private static Scenario until(Scenario s, Duration end) {
        List<Fault> before =
                s.faults().stream().filter(f -> f.at().compareTo(end) < 0).toList();
        Duration sampleEvery = s.sampleEvery().compareTo(end) > 0 ? end : s.sampleEvery();
        return s.withDuration(end).with(ScenarioKeys.SAMPLE_EVERY, sampleEvery).with(ScenarioKeys.FAULTS, before);
    }

    private static Scenario withoutService(Scenario s, int index) {
        String name = s.services().get(index).name();
        List<Service> services = new ArrayList<>(s.services());
        services.remove(index);
        List<Fault> faults =
                s.faults().stream().filter(f -> !f.services().contains(name)).toList();
        return s.with(ScenarioKeys.SERVICES, List.copyOf(services)).with(ScenarioKeys.FAULTS, faults);
    }

    /** Adds a scenario for each variant of each part of a type. */
    private static <P extends ScenarioPart<P>> void addEach(
            Scenario s, Class<P> type, Function<P, List<P>> variants, List<Scenario> all) {
        PartPlaces<P> places = PartPlaces.of(type);
        List<P> parts = places.in(s);
        for (int i = 0; i < parts.size(); i++) {
            for (P variant : variants.apply(parts.get(i))) {
                all.add(places.replace(s, i, variant));
            }
        }
    }

    private static <P extends ScenarioPart<P>> void addSimpler(Scenario s, Class<P> type, List<Scenario> all) {
        List<Key<P, ?>> keys = ScenarioKeys.of(type);
        addEach(s, type, part -> simpler(part, keys), all);
    }

    /** Simpler variants of a part: first all keys at their simplest, then one key smaller or at its simplest. */
    private static <P extends ScenarioPart<P>> List<P> simpler(P part, List<Key<P, ?>> keys) {
        List<P> simpler = new ArrayList<>();
        P simplest = part;
        for (Key<P, ?> key : keys) {
            simplest = key.simplest(simplest);
        }
        simpler.add(simplest);
        keys.forEach(key -> simpler.addAll(key.smaller(part)));
        keys.forEach(key -> simpler.add(key.simplest(part)));
        return simpler;
    }
}
