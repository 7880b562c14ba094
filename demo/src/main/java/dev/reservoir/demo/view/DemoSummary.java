package dev.reservoir.demo.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Shares;
import dev.reservoir.demo.fleet.EmulatedDatabase.Refused;
import dev.reservoir.demo.fleet.Side;
import dev.reservoir.demo.fleet.WorkDone;
import dev.reservoir.demo.trouble.Troubles;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The results of a demo.
 *
 * @param seconds how long the services ran
 * @param sides Reservoir, then HikariCP
 * @param leases the lease counts at the end
 * @param events all events
 */
public record DemoSummary(double seconds, List<OfSide> sides, Leases leases, List<Troubles.Event> events) {

    /**
     * The results of one side. Latencies are negative if nothing was completed.
     *
     * @param undone workflows that arrived and neither completed nor failed, so that a side that stalls does not look
     *     better
     * @param fullAfterSeconds time until every service held as many connections as it is set to hold; null if that
     *     never happened
     */
    public record OfSide(
            String name,
            long workflows,
            long failed,
            long undone,
            double p50Millis,
            double p99Millis,
            double p999Millis,
            double longestMillis,
            Refused refused,
            long connects,
            @Nullable Double fullAfterSeconds) {}

    /**
     * The lease counts of the cluster.
     *
     * @param counted the total while the services held their connections
     * @param held the sum of what the services held
     * @param left the total after all services had left
     */
    public record Leases(long counted, long held, long left) {
        boolean exact() {
            return counted == held;
        }
    }

    public static OfSide of(Side side, @Nullable Double fullAfterSeconds) {
        WorkDone done = side.done();
        return new OfSide(
                side.name(),
                done.completed(),
                done.failed(),
                done.undone(),
                done.millisAt(50),
                done.millisAt(99),
                done.millisAt(99.9),
                done.millisAt(100),
                side.database().refused(),
                side.database().accepted(),
                fullAfterSeconds);
    }

    public static Leases leases(@Nullable Shares running, @Nullable Shares after) {
        return new Leases(
                running == null ? 0 : running.total(),
                running == null ? 0 : running.sum(),
                after == null ? 0 : after.total());
    }

    /** Returns the results as text. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT, "%-34s%16s%16s", String.format(Locale.ROOT, "In %.0f s", seconds), name(0), name(1)));
        row(lines, "workflows completed", side -> String.format(Locale.ROOT, "%,d", side.workflows));
        row(lines, "workflows failed", side -> String.format(Locale.ROOT, "%,d", side.failed));
        row(lines, "workflows left undone", side -> String.format(Locale.ROOT, "%,d", side.undone));
        row(lines, "latency, median", side -> NumberText.millis(side.p50Millis));
        row(lines, "latency, p99", side -> NumberText.millis(side.p99Millis));
        row(lines, "latency, p99.9", side -> NumberText.millis(side.p999Millis));
        row(lines, "latency, longest", side -> NumberText.millis(side.longestMillis));
        row(lines, "connects refused", side -> String.format(Locale.ROOT, "%,d", side.refused.total()));
        row(lines, "connects used", side -> String.format(Locale.ROOT, "%,d", side.connects));
        row(
                lines,
                "all that it keeps open after",
                side -> side.fullAfterSeconds == null
                        ? "never"
                        : String.format(Locale.ROOT, "%.1f s", side.fullAfterSeconds));
        lines.add(String.format(
                Locale.ROOT,
                "Leases at the end: %d counted, %d held by the reservoirs (%s); %d when all had left.",
                leases.counted,
                leases.held,
                leases.exact() ? "exact" : "not exact",
                leases.left));
        return lines;
    }

    private String name(int index) {
        return sides.get(index).name();
    }

    private void row(List<String> lines, String what, Function<OfSide, String> value) {
        lines.add(String.format(
                Locale.ROOT, "  %-32s%16s%16s", what, value.apply(sides.get(0)), value.apply(sides.get(1))));
    }

    /** Returns the results as JSON. The order of the fields is fixed. Later versions may append fields. */
    public String json() {
        StringWriter text = new StringWriter();
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.setPrettyPrinter(
                    new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter));
            json.writeStartObject();
            json.writeNumberField("seconds", rounded(seconds));
            json.writeArrayFieldStart("sides");
            for (OfSide side : sides) {
                write(side, json);
            }
            json.writeEndArray();
            json.writeObjectFieldStart("leases");
            json.writeNumberField("counted", leases.counted);
            json.writeNumberField("held", leases.held);
            json.writeBooleanField("exact", leases.exact());
            json.writeNumberField("left", leases.left);
            json.writeEndObject();
            json.writeArrayFieldStart("events");
            for (Troubles.Event event : events) {
                json.writeStartObject();
                json.writeNumberField("atSeconds", rounded(event.atSeconds()));
                json.writeStringField("text", event.text());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(OfSide side, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", side.name);
        json.writeNumberField("workflows", side.workflows);
        json.writeNumberField("failed", side.failed);
        json.writeNumberField("undone", side.undone);
        millis("p50Millis", side.p50Millis, json);
        millis("p99Millis", side.p99Millis, json);
        millis("p999Millis", side.p999Millis, json);
        millis("longestMillis", side.longestMillis, json);
        json.writeNumberField("connects", side.connects);
        json.writeNumberField("refusedConnects", side.refused.total());
        json.writeNumberField("refusedByRate", side.refused.byRate());
        json.writeNumberField("refusedByCount", side.refused.byCount());
        json.writeNumberField("refusedByToken", side.refused.byToken());
        if (side.fullAfterSeconds == null) {
            json.writeNullField("fullAfterSeconds");
        } else {
            json.writeNumberField("fullAfterSeconds", rounded(side.fullAfterSeconds));
        }
        json.writeEndObject();
    }

    private static void millis(String name, double value, JsonGenerator json) throws IOException {
        if (value < 0) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, rounded(value));
        }
    }

    private static double rounded(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
