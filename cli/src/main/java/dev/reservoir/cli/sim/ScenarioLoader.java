package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.RefusedInputException;
import dev.reservoir.sim.file.ScenarioException;
import dev.reservoir.sim.file.ScenarioReader;
import dev.reservoir.sim.file.Scenarios;
import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds scenarios: files, or built-in scenarios if no file has that name. */
final class ScenarioLoader {
    private ScenarioLoader() {}

    /**
     * Reads all scenarios, in order. Blocks while it reads.
     *
     * @throws RefusedInputException with every mistake of every file
     */
    static List<Scenario> scenarios(List<String> given) {
        List<String> wrong = new ArrayList<>();
        List<Scenario> scenarios = new ArrayList<>();
        for (String one : given) {
            Scenario scenario = scenario(one, wrong);
            if (scenario != null) {
                scenarios.add(scenario);
            }
        }
        if (!wrong.isEmpty()) {
            throw new RefusedInputException(wrong);
        }
        return distinct(scenarios);
    }

    private static @Nullable Scenario scenario(String given, List<String> wrong) {
        try {
            Path file = file(given);
            if (file != null) {
                return ScenarioReader.read(file);
            }
            if (Scenarios.names().contains(given)) {
                return Scenarios.named(given);
            }
            wrong.add("reservoir: " + notThere(given));
        } catch (ScenarioException e) {
            e.mistakes().forEach(mistake -> wrong.add(mistake.toString()));
        } catch (AccessDeniedException e) {
            wrong.add("reservoir: '" + given + "' may not be read");
        } catch (IOException e) {
            wrong.add("reservoir: '" + given + "' cannot be read: " + e.getMessage());
        }
        return null;
    }

    /** The file with this name; null if there is none. */
    static @Nullable Path file(String given) {
        try {
            Path path = Path.of(given);
            return Files.exists(path) && !Files.isDirectory(path) ? path : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    static String notThere(String given) {
        String what = isFolder(given) ? "'" + given + "' is a folder" : "there is no file '" + given + "'";
        return what + ", and no bundled scenario has that name; bundled: " + String.join(", ", Scenarios.names());
    }

    private static boolean isFolder(String given) {
        try {
            return Files.isDirectory(Path.of(given));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** Adds a number to scenarios whose files have the same name in different folders. */
    private static List<Scenario> distinct(List<Scenario> scenarios) {
        Map<String, Integer> seen = new HashMap<>();
        List<Scenario> distinct = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            int count = seen.merge(scenario.name(), 1, Integer::sum);
            distinct.add(count == 1 ? scenario : scenario.withName(scenario.name() + " (" + count + ")"));
        }
        return distinct;
    }
}
