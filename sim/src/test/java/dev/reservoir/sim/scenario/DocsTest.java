package dev.reservoir.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page that lists every key is right. */
class DocsTest {
    private static String page() throws IOException {
        return Files.readString(Path.of("..", "docs", "scenarios.md"));
    }

    @Test
    void everyKeyIsInItsTable() throws IOException {
        String page = page();
        for (List<String> keys : List.of(
                Keys.TOP,
                Keys.COORDINATOR,
                Keys.DATABASE,
                Keys.TOKENS,
                Keys.SCENARIO,
                Keys.FAULT,
                Keys.SERVICE,
                Keys.WORKLOAD)) {
            assertThat(keys).allSatisfy(key -> assertThat(page).containsPattern("\\n\\|[^|]*`" + key + "`[^|]*\\|"));
        }
        assertThat(Defaults.FAULT_KINDS.keySet())
                .allSatisfy(kind -> assertThat(page).contains("\n| `" + kind + "` |"));
        assertThat(Defaults.ARRIVALS.keySet())
                .allSatisfy(word -> assertThat(page).contains("`" + word + "`"));
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
