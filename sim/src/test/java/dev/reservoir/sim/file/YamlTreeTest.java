package dev.reservoir.sim.file;

import static dev.reservoir.sim.file.Reading.mistakes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.scenario.ScenarioKeys;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class YamlTreeTest {
    private static final String END = "; allowed: one YAML or JSON document";

    @Test
    void anEmptyFileIsAMistake() {
        assertThat(mistakes("")).containsExactly("s.yaml:1:1: cannot be read: the file is empty" + END);
        assertThat(mistakes("# nothing\n")).containsExactly("s.yaml:1:1: cannot be read: the file is empty" + END);
    }

    @Test
    void aFileThatIsNoMapIsAMistake() {
        assertThat(mistakes("just a text"))
                .contains("s.yaml:1:1: the file is a single value; allowed: a map with "
                        + String.join(", ", ScenarioKeys.TOP.names()));
        assertThat(mistakes("- a\n- b\n"))
                .contains("s.yaml:1:1: the file is a list; allowed: a map with "
                        + String.join(", ", ScenarioKeys.TOP.names()));
    }

    @Test
    void mistakesOfYamlItselfHaveTheirPlace() {
        assertThat(mistakes("seed: 1\nservices: [\n"))
                .containsExactly("s.yaml:3:1: cannot be read: while parsing a flow node expected the node content,"
                        + " but found '<stream end>'" + END);
        assertThat(mistakes("seed: 1\n  duration: 2\n"))
                .containsExactly("s.yaml:2:11: cannot be read: mapping values are not allowed here" + END);
        assertThat(mistakes("seed: *x\n")).containsExactly("s.yaml:1:7: cannot be read: found undefined alias x" + END);
        assertThat(mistakes("seed: 1\n---\nseed: 2\n"))
                .containsExactly(
                        "s.yaml:2:1: cannot be read: expected a single document in the stream but found another"
                                + " document" + END);
        assertThat(mistakes("seed: 1\nendpoint: a\u0007b\n"))
                .containsExactly("s.yaml:2:12: cannot be read: the character U+0007; allowed: printable characters");
    }

    @Test
    void deepNestingAndManyAliasesAreRefused() {
        assertThat(mistakes("a: " + "[".repeat(100_000)))
                .containsExactly("s.yaml:1:53: cannot be read: nested more than 50 deep" + END);
        String aliases = "a: &a {b: 1}\nb: [" + "*a, ".repeat(2_000) + "]\n";
        assertThat(mistakes(aliases)).hasSize(1);
        assertThat(mistakes(aliases).get(0)).contains("cannot be read: Number of aliases");
    }

    @Test
    void whatContainsItselfIsReadToAnEnd() {
        assertThat(mistakes("services: &s\n  - &a {name: a, <<: *a, workload: *a}\n  - *s\n"))
                .isNotEmpty();
        assertThat(mistakes("defaults: &d {workload: &w {<<: *w}}\nservices: [{name: a}]\n"))
                .isEmpty();
    }

    /** Any text is read, or its mistakes are reported. */
    @Test
    void noTextMakesTheReaderFailInAnyOtherWay() {
        String alphabet = " \n\t{}[]:,-&*#?|>'\"%@`0123456789abcs.\\~<!\u0001ü";
        for (long seed = 0; seed < 1_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            String name = Scenarios.names().get(random.nextInt(Scenarios.names().size()));
            StringBuilder text = new StringBuilder(Scenarios.text(name));
            int changes = 1 + random.nextInt(4);
            for (int i = 0; i < changes; i++) {
                int at = random.nextInt(text.length());
                char c = alphabet.charAt(random.nextInt(alphabet.length()));
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, c);
                    case 1 -> text.insert(at, c);
                    default -> text.delete(at, Math.min(text.length(), at + random.nextInt(20)));
                }
            }
            try {
                mistakes(text.toString());
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + "\n" + text, e);
            }
        }
    }
}
