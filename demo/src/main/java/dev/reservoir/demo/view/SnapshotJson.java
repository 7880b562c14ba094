package dev.reservoir.demo.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.reservoir.demo.sample.Snapshot;
import dev.reservoir.demo.sample.Snapshot.OfCluster;
import dev.reservoir.demo.sample.Snapshot.OfService;
import dev.reservoir.demo.sample.Snapshot.OfSide;
import dev.reservoir.demo.trouble.Troubles;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;

/** Writes a snapshot as one line of JSON for the page. */
final class SnapshotJson {
    private static final JsonFactory FACTORY = new JsonFactory();

    private SnapshotJson() {}

    static String of(Snapshot snapshot) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("seconds", rounded(snapshot.seconds()));
            json.writeNumberField("rate", snapshot.ratePerSecond());
            json.writeArrayFieldStart("sides");
            for (OfSide side : snapshot.sides()) {
                write(side, json);
            }
            json.writeEndArray();
            OfCluster cluster = snapshot.cluster();
            if (cluster != null) {
                json.writeObjectFieldStart("cluster");
                json.writeNumberField("leases", cluster.leases());
                json.writeNumberField("limit", cluster.limit());
                json.writeNumberField("members", cluster.members());
                json.writeBooleanField("away", cluster.away());
                json.writeNumberField("takenBack", cluster.takenBack());
                json.writeEndObject();
            }
            json.writeArrayFieldStart("troubles");
            for (Troubles.Status status : snapshot.troubles()) {
                json.writeStartObject();
                json.writeStringField("id", status.trouble().id());
                json.writeBooleanField("active", status.active());
                json.writeNumberField("secondsLeft", status.secondsLeft());
                json.writeStringField("outcome", status.outcome());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("events");
            for (Troubles.Event event : snapshot.events()) {
                json.writeStartObject();
                json.writeNumberField("at", rounded(event.atSeconds()));
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
        json.writeStringField("name", side.name());
        json.writeNumberField("open", side.open());
        json.writeNumberField("connects", side.connects());
        json.writeNumberField("refusals", side.refusals());
        json.writeNumberField("refusedByRate", side.refused().byRate());
        json.writeNumberField("refusedByCount", side.refused().byCount());
        json.writeNumberField("refusedByToken", side.refused().byToken());
        json.writeNumberField("refused", side.refused().total());
        json.writeNumberField("accepted", side.accepted());
        json.writeNumberField("perSecond", rounded(side.workflowsPerSecond()));
        json.writeNumberField("completed", side.completed());
        json.writeNumberField("failed", side.failed());
        json.writeNumberField("p50", rounded(side.p50Millis()));
        json.writeNumberField("p99", rounded(side.p99Millis()));
        json.writeNumberField("longest", rounded(side.longestMillis()));
        json.writeArrayFieldStart("services");
        for (OfService service : side.services()) {
            json.writeStartObject();
            json.writeStringField("name", service.name());
            json.writeStringField("state", service.state().name().toLowerCase(Locale.ROOT));
            json.writeNumberField("opening", service.opening());
            json.writeNumberField("ready", service.ready());
            json.writeNumberField("inUse", service.inUse());
            json.writeNumberField("retiring", service.retiring());
            json.writeNumberField("waiting", service.waiting());
            json.writeNumberField("share", service.share());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
