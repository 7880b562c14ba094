package dev.reservoir.sim.sweep;

import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.sweep.Vary.Value;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One value for each varied setting, and the result of the run with these values.
 *
 * @param values the values, in the order of the settings
 * @param expected the expectations
 * @param figures the figures of the run; null if the settings cannot be combined
 * @param verdicts the verdicts of the run; empty if the settings cannot be combined
 * @param impossible the reason why the settings cannot be combined; null if they can
 */
public record Combination(
        List<Value> values,
        Expected expected,
        @Nullable Figures figures,
        List<Verdict> verdicts,
        @Nullable String impossible) {

    /** Whether all expectations hold. */
    public boolean meets() {
        return impossible == null && verdicts.stream().allMatch(Verdict::holds);
    }

    /** The verdict with this name; null if there is none. */
    @Nullable
    Verdict verdict(String name) {
        return verdicts.stream().filter(v -> v.name().equals(name)).findFirst().orElse(null);
    }

    /**
     * The figure that decided a verdict, as a short text. It ends with an exclamation mark if the expectation does not
     * hold.
     */
    public String figure(String verdictName) {
        Verdict verdict = verdict(verdictName);
        if (verdict == null || figures == null) {
            return "-";
        }
        Measure measure = Measure.of(verdictName);
        String text = measure == null ? (verdict.holds() ? "yes" : "no") : measure.text(measure.figure(figures));
        return verdict.holds() ? text : text + " !";
    }

    /**
     * The expectations that do not hold, or the reason why the run is impossible, in one line. Empty if everything
     * holds.
     */
    public String why() {
        if (impossible != null) {
            return "not possible: " + impossible;
        }
        return String.join(
                "; ",
                verdicts.stream().filter(v -> !v.holds()).map(Verdict::said).toList());
    }
}
