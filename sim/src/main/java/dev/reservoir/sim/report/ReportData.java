package dev.reservoir.sim.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.JsonResults;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * Writes the data of the page as JSON. Never writes a double directly, because its digits differ between versions of
 * Java.
 */
final class ReportData {
    private static final JsonFactory FACTORY = new JsonFactory();

    /** Largest number of marks on the page. The page states how many are left out. */
    private static final int MARKS_MAX = 2_000;

    private final JsonGenerator json;
    private final int pointsMax;

    private ReportData(JsonGenerator json, int pointsMax) {
        this.json = json;
        this.pointsMax = pointsMax;
    }

    static String json(List<Outcome> outcomes, int pointsMax) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            ReportData data = new ReportData(json, pointsMax);
            List<String> labels = Labels.of(outcomes);
            json.writeStartObject();
            json.writeStringField("title", Labels.title(outcomes));
            json.writeArrayFieldStart("runs");
            for (int i = 0; i < outcomes.size(); i++) {
                data.run(outcomes.get(i), labels.get(i));
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return text.toString();
    }

    private void run(Outcome outcome, String label) throws IOException {
        json.writeStartObject();
        json.writeStringField("label", label);
        json.writeBooleanField("passed", outcome.passed());
        json.writeNumberField("durationMs", outcome.scenario().duration().toMillis());
        json.writeNumberField("sampleMs", outcome.scenario().sampleEvery().toMillis());
        json.writeObjectFieldStart("facts");
        for (Map.Entry<String, String> fact : Facts.of(outcome).entrySet()) {
            json.writeStringField(fact.getKey(), fact.getValue());
        }
        json.writeEndObject();
        limits(outcome.scenario());
        measures(outcome);
        JsonResults.verdicts(outcome.verdicts(), json);
        marks(outcome.marks());
        ages(outcome);
        seconds(outcome.seconds());
        services(outcome);
        json.writeEndObject();
    }

    private void limits(Scenario scenario) throws IOException {
        json.writeObjectFieldStart("limits");
        Scenario.Limiter limiter = scenario.limiter();
        if (limiter.sharing() != Scenario.Sharing.NONE) {
            number("limiter", limiter.perSecond());
            json.writeStringField("sharing", limiter.sharing().name().toLowerCase(Locale.ROOT));
        }
        if (scenario.database().ratePerSecond() > 0) {
            number("rate", scenario.database().ratePerSecond());
        }
        if (scenario.database().cap() > 0) {
            json.writeNumberField("cap", scenario.database().cap());
        }
        Double share = scenario.expected().minUsableShare();
        if (share != null) {
            number("share", share);
        }
        json.writeEndObject();
    }

    private void number(String name, double value) throws IOException {
        json.writeFieldName(name);
        json.writeNumber(Figures.fixed(value, 6).toPlainString());
    }

    private void measures(Outcome outcome) throws IOException {
        json.writeArrayFieldStart("measures");
        for (OutcomeSummary.Row row : OutcomeSummary.of(outcome)) {
            json.writeStartObject();
            json.writeStringField("name", row.name());
            json.writeStringField("text", row.text());
            optional("value", row.value());
            json.writeStringField("unit", row.unit().name().toLowerCase(Locale.ROOT));
            json.writeStringField("better", row.better().name().toLowerCase(Locale.ROOT));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void optional(String name, OptionalLong value) throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(name, value.getAsLong());
        } else {
            json.writeNullField(name);
        }
    }

    private void marks(List<Mark> marks) throws IOException {
        json.writeNumberField("marksLeftOut", Math.max(0, marks.size() - MARKS_MAX));
        json.writeArrayFieldStart("marks");
        for (Mark mark : marks.subList(0, Math.min(MARKS_MAX, marks.size()))) {
            json.writeStartObject();
            json.writeNumberField("ms", mark.atNanos() / 1_000_000);
            json.writeStringField("kind", mark.kind());
            json.writeStringField("text", mark.text());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void ages(Outcome outcome) throws IOException {
        json.writeObjectFieldStart("ages");
        json.writeNumberField("stepMs", outcome.ageStepNanos() / 1_000_000);
        json.writeArrayFieldStart("counts");
        for (long count : outcome.ages()) {
            json.writeNumber(count);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void seconds(List<Second> seconds) throws IOException {
        int perPoint = ThinnedSamples.perPoint(seconds.size(), pointsMax);
        json.writeObjectFieldStart("seconds");
        json.writeNumberField("points", ThinnedSamples.points(seconds.size(), perPoint));
        json.writeNumberField("perPoint", perPoint);
        second("connects", seconds, perPoint, Second::connects);
        second("refused", seconds, perPoint, s -> s.refusedByRate() + s.refusedByCap());
        json.writeEndObject();
    }

    private void second(String name, List<Second> seconds, int perPoint, ToLongFunction<Second> number)
            throws IOException {
        long[] values = seconds.stream().mapToLong(number).toArray();
        PackedSeries.write(json, name, ThinnedSamples.most(values, perPoint));
    }

    private void services(Outcome outcome) throws IOException {
        List<List<Sample>> byService = OutcomeSummary.byService(outcome);
        if (!byService.isEmpty()) {
            ThinnedSamples any = new ThinnedSamples(byService.get(0), pointsMax);
            json.writeNumberField("samplesPerPoint", any.samplesPerPoint());
            PackedSeries.write(json, "timesMs", any.last(s -> s.atNanos() / 1_000_000));
        }
        json.writeArrayFieldStart("services");
        for (List<Sample> samples : byService) {
            if (!samples.isEmpty()) {
                service(samples);
            }
        }
        json.writeEndArray();
    }

    private void service(List<Sample> samples) throws IOException {
        Sample last = samples.get(samples.size() - 1);
        json.writeStartObject();
        json.writeStringField("name", last.service());
        json.writeObjectFieldStart("end");
        json.writeNumberField("instances", last.instances());
        json.writeNumberField("target", last.target());
        json.writeNumberField("usable", last.usable());
        json.writeNumberField("inUse", last.inUse());
        json.writeNumberField("opened", last.refills());
        json.writeNumberField("refused", last.refused());
        json.writeNumberField("discards", last.allDiscards());
        json.writeNumberField("checkouts", last.checkouts());
        json.writeNumberField("empties", last.emptyEvents());
        json.writeNumberField("timeouts", last.timeouts());
        json.writeNumberField(
                "waitMaxUs",
                samples.stream().mapToLong(s -> s.waits().maxNanos()).max().orElse(0) / 1_000);
        optional("smallestShare", OutcomeSummary.smallestShare(samples));
        json.writeEndObject();
        series(new ThinnedSamples(samples, pointsMax), last);
        json.writeEndObject();
    }

    private void series(ThinnedSamples thinned, Sample last) throws IOException {
        json.writeObjectFieldStart("series");
        PackedSeries.write(json, "target", thinned.atLowest(Sample::target));
        PackedSeries.write(json, "ready", thinned.atLowest(Sample::ready));
        PackedSeries.write(json, "inUse", thinned.atLowest(Sample::inUse));
        PackedSeries.write(json, "usable", thinned.atLowest(Sample::usable));
        PackedSeries.write(json, "validating", thinned.most(Sample::validating));
        PackedSeries.write(json, "opening", thinned.most(Sample::opening));
        PackedSeries.write(json, "closing", thinned.most(Sample::closing));
        PackedSeries.write(json, "open", thinned.most(Sample::open));
        PackedSeries.write(json, "opened", thinned.growth(Sample::refills));
        PackedSeries.write(json, "refused", thinned.growth(Sample::refused));
        PackedSeries.write(json, "checkouts", thinned.growth(Sample::checkouts));
        PackedSeries.write(json, "empties", thinned.growth(Sample::emptyEvents));
        PackedSeries.write(json, "timeouts", thinned.growth(Sample::timeouts));
        PackedSeries.write(json, "p50", thinned.most(s -> s.waits().p50Nanos() / 1_000));
        PackedSeries.write(json, "p99", thinned.most(s -> s.waits().p99Nanos() / 1_000));
        PackedSeries.write(json, "p999", thinned.most(s -> s.waits().p999Nanos() / 1_000));
        PackedSeries.write(json, "max", thinned.most(s -> s.waits().maxNanos() / 1_000));
        json.writeEndObject();
        json.writeObjectFieldStart("discards");
        for (DiscardReason reason : DiscardReason.values()) {
            if (last.discards(reason) > 0) {
                PackedSeries.write(json, reason.label(), thinned.growth(s -> s.discards(reason)));
            }
        }
        json.writeEndObject();
        json.writeObjectFieldStart("failures");
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            if (last.openFailures().containsKey(reason)) {
                PackedSeries.write(
                        json,
                        reason.label(),
                        thinned.growth(s -> s.openFailures().getOrDefault(reason, 0L)));
            }
        }
        json.writeEndObject();
    }
}
