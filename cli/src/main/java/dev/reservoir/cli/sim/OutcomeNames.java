package dev.reservoir.cli.sim;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Scenario;
import java.util.List;

/** Names outcomes in as few words as tell them apart. */
final class OutcomeNames {
    private OutcomeNames() {}

    static String of(Scenario scenario, PoolKind pool) {
        return scenario.name() + " (" + pool.label() + ")";
    }

    /** One name for each outcome, in order. */
    static List<String> of(List<Outcome> outcomes) {
        boolean oneScenario =
                outcomes.stream().map(o -> o.scenario().name()).distinct().count() == 1;
        boolean onePool = outcomes.stream().map(Outcome::pool).distinct().count() == 1;
        return outcomes.stream()
                .map(o -> onePool ? o.scenario().name() : oneScenario ? o.pool().label() : of(o.scenario(), o.pool()))
                .toList();
    }
}
