package dev.reservoir.demo.view;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.sample.Snapshot;
import dev.reservoir.demo.sample.Snapshot.ClusterSnapshot;
import dev.reservoir.demo.sample.Snapshot.ServiceSnapshot;
import dev.reservoir.demo.sample.Snapshot.SideSnapshot;
import java.io.IOException;
import java.util.Locale;

/** Writes a snapshot as one line of JSON for the page. */
final class SnapshotJson {
    private SnapshotJson() {}

    static String of(Snapshot snapshot) {
        return JsonText.object(json -> {
            json.writeNumberField("seconds", rounded(snapshot.seconds()));
            json.writeNumberField("rate", snapshot.ratePerSecond());
            JsonText.objects("sides", snapshot.sides(), json, SnapshotJson::writeSide);
            ClusterSnapshot cluster = snapshot.cluster();
            if (cluster != null) {
                json.writeObjectFieldStart("cluster");
                writeCluster(cluster, json);
                json.writeEndObject();
            }
            JsonText.objects("faults", snapshot.faults(), json, SnapshotJson::writeFault);
            JsonText.objects("events", snapshot.events(), json, (event, one) -> {
                one.writeNumberField("at", rounded(event.atSeconds()));
                one.writeStringField("text", event.text());
            });
        });
    }

    private static void writeSide(SideSnapshot side, JsonGenerator json) throws IOException {
        json.writeStringField("name", side.name());
        json.writeNumberField("open", side.open());
        json.writeNumberField("connects", side.connects());
        json.writeNumberField("refusals", side.refusals());
        json.writeNumberField("refusedByRate", side.refused().byRate());
        json.writeNumberField("refusedByCount", side.refused().byCount());
        json.writeNumberField("refusedByToken", side.refused().byToken());
        json.writeNumberField("refused", side.refused().total());
        json.writeNumberField("perSecond", rounded(side.workflowsPerSecond()));
        json.writeNumberField("completed", side.completed());
        json.writeNumberField("failed", side.failed());
        json.writeNumberField("p50", rounded(side.latency().p50Millis()));
        json.writeNumberField("p99", rounded(side.latency().p99Millis()));
        json.writeNumberField("longest", rounded(side.latency().longestMillis()));
        JsonText.objects("services", side.services(), json, SnapshotJson::writeService);
    }

    private static void writeService(ServiceSnapshot service, JsonGenerator json) throws IOException {
        json.writeStringField("name", service.name());
        json.writeStringField("state", service.state().name().toLowerCase(Locale.ROOT));
        json.writeNumberField("opening", service.opening());
        json.writeNumberField("ready", service.ready());
        json.writeNumberField("inUse", service.inUse());
        json.writeNumberField("retiring", service.retiring());
        json.writeNumberField("waiting", service.waiting());
        json.writeNumberField("share", service.share());
    }

    private static void writeCluster(ClusterSnapshot cluster, JsonGenerator json) throws IOException {
        json.writeNumberField("leases", cluster.leases());
        json.writeNumberField("limit", cluster.limit());
        json.writeNumberField("members", cluster.members());
        json.writeBooleanField("away", cluster.away());
        json.writeNumberField("takenBack", cluster.takenBack());
    }

    private static void writeFault(FaultInjector.Status status, JsonGenerator json) throws IOException {
        json.writeStringField("id", status.fault().id());
        json.writeBooleanField("active", status.active());
        json.writeNumberField("secondsLeft", status.secondsLeft());
        json.writeStringField("outcome", status.outcome());
    }

    private static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
