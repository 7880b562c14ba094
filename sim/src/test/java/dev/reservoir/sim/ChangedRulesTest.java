package dev.reservoir.sim;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.result.Sample;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The simulator has no model of the engine: a change of the engine's rules changes what it shows. */
class ChangedRulesTest {
    private static final String WANTED =
            "return Math.min(targets.maxOpen(), Math.max(targets.minOpen(), staying + beside));";

    /** The connections of a service with a target of 20 after a minute, and the rest of the outcome. */
    public static final class Probe {
        private Probe() {}

        public static String seen(String... none) {
            Seen seen = SmallScenario.of(
                            service("a").target(20).lives("20s", "5s", "2s").even(10))
                    .run();
            Sample last = seen.last("a");
            return (seen.convergedAt() < 0 ? "never converged" : "converged") + ", " + last.usable() + " usable, "
                    + Digest.of(seen.outcome());
        }
    }

    @Test
    void aChangeOfTheEnginesRulesChangesTheSimulation(@TempDir Path folder) throws Exception {
        assertThat(Probe.seen()).startsWith("converged, 20 usable");
        String half = WANTED.replace(";", " / 2;");
        try (ChangedEngine changed = ChangedEngine.with(folder, WANTED, half)) {
            assertThat(changed.call(Probe.class, "seen")).startsWith("never converged, 10 usable");
        }
    }

    @Test
    void withoutAChangeItShowsTheSame(@TempDir Path folder) throws IOException, ReflectiveOperationException {
        try (ChangedEngine same = ChangedEngine.with(folder, WANTED, WANTED)) {
            assertThat(same.call(Probe.class, "seen")).isEqualTo(Probe.seen());
        }
    }
}
