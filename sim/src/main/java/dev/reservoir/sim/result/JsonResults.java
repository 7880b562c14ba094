package dev.reservoir.sim.result;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.result.Outcome.BudgetUse;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Verdict;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes outcomes as JSON: figures, verdicts, marks, and each service at the end. Leaves out the samples over time,
 * which are in the CSV. Fields always come in the same order. Later versions may add fields at the end.
 */
public final class JsonResults {
    private JsonResults() {}

    /** Writes the outcomes, with the scenario, pool and seed of each. Does not close {@code to}. */
    public static void write(List<Outcome> outcomes, Appendable to) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = generator(text)) {
            json.writeStartObject();
            json.writeBooleanField("passed", outcomes.stream().allMatch(Outcome::passed));
            json.writeArrayFieldStart("outcomes");
            for (Outcome outcome : outcomes) {
                write(outcome, json);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        to.append(text.getBuffer()).append('\n');
    }

    /** Creates a generator that ends lines in the same way on every system. */
    public static JsonGenerator generator(StringWriter to) throws IOException {
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(
                        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
                .withObjectIndenter(indenter)
                .withArrayIndenter(indenter);
        JsonGenerator json = new JsonFactory().createGenerator(to);
        json.setPrettyPrinter(printer);
        return json;
    }

    private static void write(Outcome outcome, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("scenario", outcome.scenario().name());
        json.writeStringField("pool", outcome.pool().label());
        json.writeNumberField("seed", outcome.scenario().seed());
        json.writeFieldName("durationSeconds");
        json.writeNumber(
                Figures.fixed(outcome.scenario().duration().toNanos() / 1e9, 3).toPlainString());
        json.writeBooleanField("passed", outcome.passed());
        figures(Figures.of(outcome), json);
        budget(outcome.budget(), json);
        json.writeNumberField("events", outcome.events());
        verdicts(outcome.verdicts(), json);
        json.writeArrayFieldStart("marks");
        for (Mark mark : outcome.marks()) {
            json.writeStartObject();
            json.writeFieldName("atSeconds");
            json.writeNumber(Figures.fixed(mark.atNanos() / 1e9, 3).toPlainString());
            json.writeStringField("kind", mark.kind());
            json.writeStringField("text", mark.text());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("services");
        for (Sample sample : outcome.last()) {
            service(sample, json);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes the field {@code figures}. */
    public static void figures(@Nullable Figures figures, JsonGenerator json) throws IOException {
        if (figures == null) {
            json.writeNullField("figures");
            return;
        }
        json.writeObjectFieldStart("figures");
        for (Map.Entry<String, @Nullable BigDecimal> entry : figures.numbers().entrySet()) {
            json.writeFieldName(entry.getKey());
            BigDecimal value = entry.getValue();
            if (value == null) {
                json.writeNull();
            } else {
                json.writeNumber(value.toPlainString());
            }
        }
        json.writeEndObject();
    }

    /** Writes the field {@code budget}. */
    private static void budget(@Nullable Counters<BudgetUse> budget, JsonGenerator json) throws IOException {
        if (budget == null) {
            json.writeNullField("budget");
            return;
        }
        json.writeObjectFieldStart("budget");
        budget.write(json);
        json.writeEndObject();
    }

    /** Writes the field {@code verdicts}. */
    public static void verdicts(List<Verdict> verdicts, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("verdicts");
        for (Verdict verdict : verdicts) {
            json.writeStartObject();
            json.writeStringField("name", verdict.name());
            json.writeBooleanField("holds", verdict.holds());
            json.writeStringField("expected", verdict.expected());
            json.writeStringField("found", verdict.found());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void service(Sample sample, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("service", sample.service());
        json.writeNumberField("instances", sample.instances());
        json.writeNumberField("target", sample.target());
        json.writeNumberField("ready", sample.ready());
        json.writeNumberField("inUse", sample.inUse());
        json.writeNumberField("validating", sample.validating());
        json.writeNumberField("opening", sample.opening());
        json.writeNumberField("closing", sample.closing());
        json.writeNumberField("usable", sample.usable());
        json.writeNumberField("open", sample.open());
        json.writeNumberField("waiting", sample.waiting());
        json.writeNumberField("leases", sample.leases());
        sample.counters().write(json);
        json.writeObjectFieldStart("discards");
        for (DiscardReason reason : DiscardReason.values()) {
            if (sample.discards(reason) > 0) {
                json.writeNumberField(reason.label(), sample.discards(reason));
            }
        }
        json.writeEndObject();
        json.writeObjectFieldStart("openFailures");
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            if (sample.openFailures().containsKey(reason)) {
                json.writeNumberField(reason.label(), sample.openFailures().getOrDefault(reason, 0L));
            }
        }
        json.writeEndObject();
        json.writeEndObject();
    }
}
