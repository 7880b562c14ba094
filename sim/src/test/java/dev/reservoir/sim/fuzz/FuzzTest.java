package dev.reservoir.sim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.ChangedEngine;
import dev.reservoir.sim.file.ScenarioException;
import dev.reservoir.sim.file.ScenarioReader;
import dev.reservoir.sim.file.ScenarioWriter;
import dev.reservoir.sim.fuzz.Fuzz.Failure;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("exhaustive")
class FuzzTest {
    /** More seeds, or others: {@code -Dreservoir.fuzz.first=1 -Dreservoir.fuzz.seeds=10000}. */
    private static final long FIRST = Long.getLong("reservoir.fuzz.first", 1);

    private static final long SEEDS = Long.getLong("reservoir.fuzz.seeds", 3_000);

    private static final String ROOM = "int room = targets.maxOpen()";
    private static final String ROOM_FOR_ONE_TOO_MANY = "int room = 1 + targets.maxOpen()";

    @Test
    void theEngineKeepsItsPromises() throws InterruptedException {
        Failure failure = new Fuzz().run(FIRST, FIRST + SEEDS - 1, done -> {});
        assertThat(failure)
                .as("replay with: reservoir sim fuzz --seed %s", failure == null ? "" : failure.seed())
                .isNull();
    }

    /** Runs inside a changed engine. */
    public static final class Probe {
        private Probe() {}

        /** The first seed that fails, how, and the small scenario that fails in the same way. */
        public static String find(String... range) throws InterruptedException {
            Failure failure = new Fuzz().run(Long.parseLong(range[0]), Long.parseLong(range[1]), done -> {});
            if (failure == null) {
                return "none";
            }
            return failure.seed() + "\n" + failure.how() + "\n" + ScenarioWriter.toYaml(new Fuzz().shrunk(failure));
        }

        /** How the scenario of a file fails. */
        public static String run(String... yaml) throws ScenarioException {
            return String.valueOf(Fuzz.broken(ScenarioReader.read("fuzz.yaml", yaml[0], null)));
        }
    }

    @Test
    void anEngineThatBreaksAPromiseIsFoundAndItsScenarioMadeSmall(@TempDir Path folder) throws Exception {
        try (ChangedEngine broken = ChangedEngine.with(folder, ROOM, ROOM_FOR_ONE_TOO_MANY)) {
            String[] found = broken.call(Probe.class, "find", "1", "300").split("\n", 3);
            assertThat(found).hasSize(3);
            assertThat(found[1]).startsWith("promise 1: service-").contains(" connections, allowed ");
            String yaml = found[2];
            // It fails again with the changed engine, and not with the real one.
            assertThat(broken.call(Probe.class, "run", yaml)).startsWith("promise 1: ");
            assertThat(Probe.run(yaml)).isEqualTo("null");
            Scenario small = ScenarioReader.read("fuzz.yaml", yaml, null);
            Scenario large = Fuzz.scenario(Long.parseLong(found[0]));
            assertThat(small.services()).hasSize(1);
            assertThat(small.faults()).isEmpty();
            assertThat(small.duration()).isLessThan(large.duration());
            assertThat(small.services().get(0).target())
                    .isLessThan(
                            large.services().stream().mapToInt(Service::target).sum());
        }
    }

    private static Function<Scenario, @Nullable String> failsWith(FaultKind kind) {
        return s -> s.faults().stream().anyMatch(f -> f.kind() == kind) ? "promise 5: " + kind : null;
    }

    @Test
    void theFirstSeedThatFailsIsFoundHoweverManyRunAtOnce() throws InterruptedException {
        Function<Scenario, @Nullable String> check = failsWith(FaultKind.HANG);
        long first = 1;
        while (check.apply(Fuzz.scenario(first)) == null) {
            first++;
        }
        List<Long> told = new ArrayList<>();
        Failure failure = Objects.requireNonNull(new Fuzz(check).run(1, 1_000, told::add));
        assertThat(failure.seed()).isEqualTo(first);
        assertThat(failure.how()).isEqualTo("promise 5: HANG");
        assertThat(failure.scenario()).isEqualTo(Fuzz.scenario(first));
        assertThat(told).hasSize((int) first - 1);
    }

    @Test
    void everySeedIsRunOnceIfNoneFails() throws InterruptedException {
        List<Long> told = new ArrayList<>();
        assertThat(new Fuzz(s -> null).run(-3, 3, told::add)).isNull();
        assertThat(told).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    @Test
    void anotherFailureIsNotWhatAScenarioIsMadeSmallTo() {
        Scenario scenario = Fuzz.scenario(5);
        Failure failure = new Failure(5, "promise 1: large", scenario);
        // Every shorter scenario fails in another way.
        Fuzz fuzz = new Fuzz(s -> s.duration().equals(scenario.duration()) ? "promise 1: still" : "promise 2: other");
        Scenario small = fuzz.shrunk(failure);
        assertThat(small.duration()).isEqualTo(scenario.duration());
        assertThat(small.services()).hasSize(1);
        assertThat(small.faults()).isEmpty();
    }

    @Test
    void anExceptionInTheSimulationIsAFailureToo() {
        Scenario right = Fuzz.scenario(1);
        Scenario.Limiter impossible = right.limiter()
                .with(ScenarioKeys.LIMITER_PER_SEC, -1.0)
                .with(ScenarioKeys.PERMITS, Scenario.Sharing.SHARED);
        Scenario wrong = right.with(ScenarioKeys.LIMITER, impossible).with(ScenarioKeys.FAULTS, List.of());
        assertThat(Fuzz.broken(wrong)).startsWith("the simulation itself failed: ");
    }
}
