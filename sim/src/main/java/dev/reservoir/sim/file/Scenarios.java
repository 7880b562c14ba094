package dev.reservoir.sim.file;

import dev.reservoir.core.util.NearestName;
import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The built-in scenarios: the five of the Go simulator, and others that its files cannot express. */
public final class Scenarios {
    private static final List<String> NAMES = List.of(
            "local",
            "mass-drop",
            "workload-test",
            "ecs-150wps",
            "ecs-400wps",
            "rolling-restart",
            "burst-expiry",
            "coordinator-outage",
            "writes-throttled",
            "crash-storm",
            "token-expiry",
            "hung-connects",
            "flight-sessions",
            "ten-thousand",
            "scale-out-200",
            "cluster-200");

    private Scenarios() {}

    /** The names of all built-in scenarios, those of the Go simulator first. */
    public static List<String> names() {
        return NAMES;
    }

    /**
     * The built-in scenario with this name. Blocks while it reads the scenario from the class path.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Scenario named(String name) {
        try {
            return ScenarioReader.read(name + ".yaml", text(name), null);
        } catch (ScenarioException e) {
            throw new IllegalStateException("bug: a scenario that comes with the simulator is wrong\n" + e, e);
        }
    }

    /** The text of a built-in scenario file. Blocks while it reads the file from the class path. */
    public static String text(String name) {
        if (!NAMES.contains(name)) {
            String nearest = NearestName.likely(name, NAMES);
            String hint = nearest == null ? "" : "; did you mean " + nearest + "?";
            throw new IllegalArgumentException(
                    "scenario is '" + name + "'; allowed: one of " + String.join(", ", NAMES) + hint);
        }
        try (InputStream in = Scenarios.class.getResourceAsStream("/dev/reservoir/sim/scenarios/" + name + ".yaml")) {
            if (in == null) {
                throw new IllegalStateException("bug: the scenario " + name + " is not where it should be");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A one-line description of a built-in scenario: the first line of its file. */
    public static String about(String name) {
        return text(name).lines().findFirst().orElse("").replaceFirst("^#\\s*", "");
    }
}
