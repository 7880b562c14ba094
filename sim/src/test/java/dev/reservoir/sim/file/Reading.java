package dev.reservoir.sim.file;

import dev.reservoir.sim.scenario.Scenario;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads texts as if they were files. */
final class Reading {
    /** The shortest scenario. */
    static final String ONE_SERVICE = "services: [{name: a}]\n";

    private Reading() {}

    static Scenario read(String text) {
        return read("s.yaml", text, null);
    }

    static Scenario read(String name, String text, @Nullable Path folder) {
        try {
            return ScenarioReader.read(name, text, folder);
        } catch (ScenarioException e) {
            throw new AssertionError(e.getMessage() + "\n\n" + text, e);
        }
    }

    /** The texts of all mistakes; none if the scenario is right. */
    static List<String> mistakes(String text) {
        return mistakes(text, null);
    }

    static List<String> mistakes(String text, @Nullable Path folder) {
        return found(text, folder).stream().map(Mistake::toString).toList();
    }

    static List<Mistake> found(String text, @Nullable Path folder) {
        try {
            ScenarioReader.read("s.yaml", text, folder);
            return List.of();
        } catch (ScenarioException e) {
            return e.mistakes();
        }
    }
}
