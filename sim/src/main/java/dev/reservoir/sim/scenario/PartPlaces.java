package dev.reservoir.sim.scenario;

import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The places of a scenario at which parts of one type stand: one at the top, or one in each service.
 *
 * @param <P> the type of the parts
 */
public final class PartPlaces<P extends ScenarioPart<P>> {
    private static final Map<Class<?>, PartPlaces<?>> ALL = Map.of(
            Scenario.class, new PartPlaces<Scenario>(List::of, (scenario, parts) -> parts.get(0)),
            Limiter.class, atTheTop(ScenarioKeys.LIMITER),
            Coordinator.class, atTheTop(ScenarioKeys.SCENARIO_COORDINATOR),
            Database.class, atTheTop(ScenarioKeys.SCENARIO_DATABASE),
            Tokens.class, atTheTop(ScenarioKeys.SCENARIO_TOKENS),
            Expected.class, atTheTop(ScenarioKeys.EXPECTED),
            Service.class, new PartPlaces<>(Scenario::services, PartPlaces::withServices),
            Pool.class, inServices(ScenarioKeys.POOL),
            Workload.class, inServices(ScenarioKeys.SERVICE_WORKLOAD));

    private final Function<Scenario, List<P>> find;
    private final BiFunction<Scenario, List<P>, Scenario> replace;

    private PartPlaces(Function<Scenario, List<P>> find, BiFunction<Scenario, List<P>, Scenario> replace) {
        this.find = find;
        this.replace = replace;
    }

    private static <P extends ScenarioPart<P>> PartPlaces<P> atTheTop(Component<Scenario, P> component) {
        return new PartPlaces<>(
                scenario -> List.of(component.get(scenario)),
                (scenario, parts) -> scenario.with(component, parts.get(0)));
    }

    private static <P extends ScenarioPart<P>> PartPlaces<P> inServices(Component<Service, P> component) {
        return new PartPlaces<>(
                scenario -> scenario.services().stream().map(component::get).toList(), (scenario, parts) -> {
                    List<Service> services = new ArrayList<>();
                    for (int i = 0; i < parts.size(); i++) {
                        services.add(scenario.services().get(i).with(component, parts.get(i)));
                    }
                    return withServices(scenario, services);
                });
    }

    private static Scenario withServices(Scenario scenario, List<Service> services) {
        return scenario.with(ScenarioKeys.SERVICES, List.copyOf(services));
    }

    /** The places of a type of parts, if it stands at the top or in services. */
    @SuppressWarnings("unchecked") // ALL maps each class to its own places
    public static <P extends ScenarioPart<P>> PartPlaces<P> of(Class<P> part) {
        PartPlaces<?> places = ALL.get(part);
        if (places == null) {
            throw new IllegalArgumentException("bug: " + part + " has no fixed place");
        }
        return (PartPlaces<P>) places;
    }

    /** The parts in a scenario, in the order of the services. */
    public List<P> in(Scenario scenario) {
        return find.apply(scenario);
    }

    /** A copy of a scenario with another part at one of the places. */
    public Scenario replace(Scenario scenario, int index, P part) {
        List<P> parts = new ArrayList<>(in(scenario));
        parts.set(index, part);
        return replace.apply(scenario, parts);
    }

    /** A copy of a scenario in which each of these parts is changed. */
    public Scenario change(Scenario scenario, UnaryOperator<P> change) {
        return replace.apply(scenario, in(scenario).stream().map(change).toList());
    }
}
