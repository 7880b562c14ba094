package dev.reservoir.sim.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.Section;
import dev.reservoir.sim.scenario.ValueType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page that lists every key agrees with the table of keys. */
class DocsTest {
    private static String page() throws IOException {
        return Files.readString(Path.of("..", "docs", "scenarios.md"));
    }

    private static final String KEYS = "| key | default | allowed | meaning |\n|---|---|---|---|\n";
    private static final String ASSERTIONS = "| key | default | allowed | what must hold |\n|---|---|---|---|\n";
    private static final String KINDS = "| kind | needs | can have | effect |\n|---|---|---|---|\n";

    private static String rows(Stream<Key<?, ?>> keys) {
        return keys.map(key -> key.documentation() + "\n").collect(Collectors.joining());
    }

    private static String rows(Section section) {
        return rows(section.keys().stream());
    }

    private static boolean isAssertion(Key<?, ?> key) {
        return key.part() == Scenario.Expected.class;
    }

    /** If this fails, copy the rows from the message into the page. */
    @Test
    void theTablesOfKeysAreThoseOfTheProgram() throws IOException {
        String top = rows(ScenarioKeys.TOP.keys().stream().filter(key -> !isAssertion(key)));
        String assertions = rows(ScenarioKeys.TOP.keys().stream().filter(DocsTest::isAssertion));
        assertThat(page())
                .contains(KEYS + top + "| `assert...` | | | [what must hold](#assertions) |\n\n")
                .contains(ASSERTIONS + assertions + "\n")
                .contains(KEYS + rows(ScenarioKeys.COORDINATOR) + "\n")
                .contains(KEYS + rows(ScenarioKeys.DATABASE) + "\n")
                .contains(KEYS + rows(ScenarioKeys.TOKENS) + "\n")
                .contains(KEYS + rows(ScenarioKeys.SERVICE) + "\n")
                .contains(KEYS + rows(ScenarioKeys.WORKLOAD) + "\n")
                .contains(KEYS + rows(ScenarioKeys.FAULT) + "\n")
                .contains(KEYS + rows(ScenarioKeys.GO_SCENARIO) + "\n");
    }

    @Test
    void theTableOfFaultsSaysWhichKeysEachKindHas() throws IOException {
        String page = page();
        assertThat(page).contains(KINDS);
        for (FaultKind kind : FaultKind.values()) {
            String needs = names(kind, key -> key.isNeededWith(kind));
            String canHave = names(kind, key -> !key.isNeededWith(kind));
            String row = "\n| `" + ValueType.kebab(kind) + "` |" + needs + "|" + canHave + "| ";
            assertThat(page).contains(row);
        }
    }

    private static String names(FaultKind kind, Predicate<Key<Fault, ?>> which) {
        String names = ScenarioKeys.of(Fault.class).stream()
                .filter(key -> !key.onlyWith().isEmpty() && key.hasMeaningWith(kind))
                .filter(which)
                .map(key -> "`" + key.name() + "`")
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? " " : " " + names + " ";
    }

    @Test
    void everyExampleCanBeRead() throws IOException {
        Matcher example = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL).matcher(page());
        int count = 0;
        while (example.find()) {
            Reading.read(example.group(1));
            count++;
        }
        assertThat(count).isGreaterThanOrEqualTo(4);
    }

    @Test
    void everyScenarioThatComesWithItIsThereInItsOwnWords() throws IOException {
        String page = page();
        for (String name : Scenarios.names()) {
            assertThat(page).contains("| `" + name + "` | " + Scenarios.about(name) + " |\n");
        }
    }
}
