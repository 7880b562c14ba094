package dev.reservoir.sim.sweep;

import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.sweep.Vary.Value;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One value for each setting that is varied, and what came of it.
 *
 * @param values in the order of the settings
 * @param expected what was to hold
 * @param figures what came out; null if the settings cannot be together
 * @param verdicts what held; empty if the settings cannot be together
 * @param impossible why the settings cannot be together; null if they can
 */
public record Combination(
        List<Value> values,
        Expected expected,
        @Nullable Figures figures,
        List<Verdict> verdicts,
        @Nullable String impossible) {

    /** Whether everything held. */
    public boolean meets() {
        return impossible == null && verdicts.stream().allMatch(Verdict::holds);
    }

    /** The verdict of this name; null if there is none. */
    @Nullable
    Verdict verdict(String name) {
        return verdicts.stream().filter(v -> v.name().equals(name)).findFirst().orElse(null);
    }

    /** The figure that decided a verdict, in a few letters; an exclamation mark if it did not hold. */
    public String figure(String verdictName) {
        Verdict verdict = verdict(verdictName);
        if (verdict == null || figures == null) {
            return "-";
        }
        Measure measure = Measure.of(verdictName);
        String text = measure == null ? (verdict.holds() ? "yes" : "no") : measure.text(measure.figure(figures));
        return verdict.holds() ? text : text + " !";
    }

    /** What did not hold, or cannot be, in one line; empty if everything held. */
    public String why() {
        if (impossible != null) {
            return "not possible: " + impossible;
        }
        return String.join(
                "; ",
                verdicts.stream()
                        .filter(v -> !v.holds())
                        .map(v -> v.name() + ": " + v.found() + " (expected " + v.expected() + ")")
                        .toList());
    }
}
