package dev.reservoir.sim.sweep;

import com.fasterxml.jackson.core.JsonGenerator;
import de.siegmar.fastcsv.writer.CsvWriter;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.result.CsvResults;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.JsonResults;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.sweep.Vary.Value;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of a sweep.
 *
 * @param scenario the scenario that was varied
 * @param pool the pool that the processes used
 * @param varied the varied settings; the first changes slowest
 * @param combinations all combinations, in the order of the settings' values
 */
public record SweepResult(Scenario scenario, PoolKind pool, List<Vary> varied, List<Combination> combinations) {
    /** The first combination that meets all expectations; null if none does. */
    public @Nullable Combination smallest() {
        return combinations.stream().filter(Combination::meets).findFirst().orElse(null);
    }

    /** The number of combinations that meet all expectations. */
    public long meeting() {
        return combinations.stream().filter(Combination::meets).count();
    }

    /** The names of all verdicts, in their order. */
    public List<String> verdictNames() {
        Set<String> names = new LinkedHashSet<>();
        combinations.forEach(c -> c.verdicts().stream().map(Verdict::name).forEach(names::add));
        return List.copyOf(names);
    }

    /** A short heading for the column of a verdict. */
    public static String heading(String verdictName) {
        Measure measure = Measure.of(verdictName);
        return measure != null ? measure.heading() : words(verdictName.replaceFirst("^assert", ""));
    }

    /** The settings of a combination: {@code target=50, burst=1000}. */
    public String settings(Combination combination) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < varied.size(); i++) {
            texts.add(varied.get(i).knob().key() + "="
                    + combination.values().get(i).text());
        }
        return String.join(", ", texts);
    }

    /**
     * Writes one row for each combination: its settings, whether it meets all expectations, its figures, and what does
     * not hold. Does not close {@code to}.
     */
    public void writeCsv(Appendable to) throws IOException {
        try (CsvWriter csv = CsvResults.csv(to)) {
            List<String> heading = new ArrayList<>();
            varied.forEach(v -> heading.add(snake(v.knob().key())));
            heading.add("meets");
            Figures.names().forEach(name -> heading.add(snake(name)));
            heading.add("why_not");
            csv.writeRecord(heading);
            for (Combination combination : combinations) {
                List<String> row = new ArrayList<>();
                combination.values().forEach(value -> row.add(value.text()));
                row.add(Boolean.toString(combination.meets()));
                Figures figures = combination.figures();
                Map<String, @Nullable BigDecimal> numbers = figures == null ? Map.of() : figures.numbers();
                for (String name : Figures.names()) {
                    BigDecimal number = numbers.get(name);
                    row.add(number == null ? "" : number.toPlainString());
                }
                row.add(combination.why());
                csv.writeRecord(row);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static String snake(String camel) {
        return words(camel).replace(' ', '_');
    }

    private static String words(String camel) {
        return camel.replaceAll("([a-z0-9])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT);
    }

    /** Writes the whole result as JSON. Does not close {@code to}. */
    public void writeJson(Appendable to) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonResults.generator(text)) {
            json.writeStartObject();
            json.writeStringField("scenario", scenario.name());
            json.writeStringField("pool", pool.label());
            json.writeNumberField("seed", scenario.seed());
            json.writeNumberField("meeting", meeting());
            Combination smallest = smallest();
            if (smallest == null) {
                json.writeNullField("smallest");
            } else {
                settings("smallest", smallest.values(), json);
            }
            json.writeArrayFieldStart("combinations");
            for (Combination combination : combinations) {
                json.writeStartObject();
                settings("settings", combination.values(), json);
                json.writeBooleanField("meets", combination.meets());
                if (combination.impossible() != null) {
                    json.writeStringField("impossible", combination.impossible());
                }
                JsonResults.figures(combination.figures(), json);
                JsonResults.verdicts(combination.verdicts(), json);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        to.append(text.getBuffer()).append('\n');
    }

    private void settings(String name, List<Value> values, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart(name);
        for (int i = 0; i < varied.size(); i++) {
            Knob knob = varied.get(i).knob();
            if (knob.isDuration()) {
                json.writeStringField(knob.key(), values.get(i).text());
            } else {
                json.writeFieldName(knob.key());
                json.writeNumber(values.get(i).text());
            }
        }
        json.writeEndObject();
    }
}
