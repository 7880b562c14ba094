package dev.reservoir.sim.result;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.file.ScenarioException;
import dev.reservoir.sim.file.ScenarioReader;
import dev.reservoir.sim.pools.SimulatedPool.State;
import dev.reservoir.sim.result.Outcome.BudgetUse;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.result.Outcome.Waits;
import dev.reservoir.sim.result.Sample.Event;
import dev.reservoir.sim.scenario.Scenario;
import java.util.List;
import java.util.Map;

/** A small outcome in which all numbers differ, so that a test notices if two are exchanged. */
final class HandMade {
    private static final long SECOND = 1_000_000_000L;

    private HandMade() {}

    static Scenario scenario(String name) {
        try {
            return ScenarioReader.read(
                    name + ".yaml", "seed: 7\nduration: 2s\nservices: [{name: a}, {name: 'b, \"c\"'}]\n", null);
        } catch (ScenarioException e) {
            throw new AssertionError(e);
        }
    }

    static Sample sample(long atNanos, String service, int usable, long base) {
        Counters<Event> counters = Counters.of(Event.class);
        long count = base + 11;
        for (Event event : Event.values()) {
            counters.add(event, count++);
        }
        return new Sample(
                atNanos,
                service,
                1,
                50,
                usable,
                8,
                10,
                new State(40, 3, 4, 5, 6, 9),
                counters,
                new Waits(1_000, 21_999, 22_000, 23_001, 24_000_000),
                Map.of(
                        DiscardReason.EXPIRED_ON_CHECKOUT,
                        1L,
                        DiscardReason.EXPIRED_ON_RETURN,
                        2L,
                        DiscardReason.INSUFFICIENT_REMAINING_LIFETIME,
                        4L,
                        DiscardReason.RESERVOIR_FULL,
                        8L,
                        DiscardReason.EXPIRED_ON_SCAN,
                        16L,
                        DiscardReason.EXPIRING_SOON_ON_SCAN,
                        32L,
                        DiscardReason.SUPERSEDED,
                        64L),
                Map.of(OpenFailureReason.CONNECT, 100L, OpenFailureReason.SERVER_RATE, 1_000L));
    }

    private static Counters<BudgetUse> budget() {
        Counters<BudgetUse> budget = Counters.of(BudgetUse.class);
        long count = 201;
        for (BudgetUse use : BudgetUse.values()) {
            budget.add(use, count++);
        }
        return budget;
    }

    static Outcome outcome(String name, PoolKind pool, List<Verdict> verdicts) {
        return new Outcome(
                scenario(name),
                pool,
                List.of(
                        sample(SECOND, "a", 50, 0),
                        sample(SECOND, "b, \"c\"", 20, 0),
                        sample(2 * SECOND, "a", 45, 100),
                        sample(2 * SECOND, "b, \"c\"", 50, 200)),
                List.of(new Second(70, 1, 2, 3, 40), new Second(30, 4, 5, 6, 50)),
                List.of(
                        new Mark(1_234_567_890L, "fault", "half is <gone>"),
                        new Mark(SECOND, "converged", "all there")),
                new Waits(1_000, 1_999, 2_000_000, 3_000_000, 4_000_000),
                List.of(),
                1,
                0.9,
                budget(),
                verdicts,
                4_711,
                99);
    }

    static Outcome passing() {
        return outcome(
                "calm", PoolKind.RESERVOIR, List.of(new Verdict("assertMaxTimeouts", true, "none", "0 timeouts")));
    }

    static Outcome failing() {
        return outcome(
                "storm",
                PoolKind.PLAIN,
                List.of(
                        new Verdict("assertMaxTimeouts", true, "none", "0 timeouts"),
                        new Verdict("assertConvergeWithin", false, "< 1 s & \"stable\"", "never\u0007")));
    }
}
