package dev.reservoir.cli.cluster;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.reservoir.cli.budget.ModeOptions;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspectionReport;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Bucket;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Counter;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Finding;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Member;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Second;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Shares;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Windows;
import dev.reservoir.sim.result.JsonResults;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Writes a cluster's budget as JSON. Fields always come in the same order. Later versions may add fields at the end.
 */
final class ClusterJson {
    private ClusterJson() {}

    static void write(ClusterInspectionReport report, ClusterSettings settings, Appendable to) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonResults.generator(text)) {
            json.writeStartObject();
            json.writeBooleanField("right", report.isRight());
            json.writeStringField("endpoint", report.endpoint());
            json.writeNumberField("storeMillis", report.storeMillis());
            json.writeStringField("permitMode", ModeOptions.name(settings.permitMode()));
            json.writeStringField("leaseMode", ModeOptions.name(settings.leaseMode()));
            json.writeNumberField("watchedSeconds", report.watchedNanos() / 1_000_000_000L);
            members(report, json);
            if (report.shares() != null) {
                shares(report.shares(), json);
            }
            if (report.counter() != null) {
                counter(report.counter(), json);
            }
            if (report.bucket() != null) {
                bucket(report.bucket(), json);
            }
            if (report.windows() != null) {
                windows(report.windows(), json);
            }
            findings(report, json);
            json.writeEndObject();
        }
        to.append(text.getBuffer()).append('\n');
    }

    private static void members(ClusterInspectionReport report, JsonGenerator json) throws IOException {
        Counter counter = report.counter();
        Map<String, Set<String>> leases = counter == null ? Map.of() : counter.byOwner();
        json.writeArrayFieldStart("members");
        for (Member member : report.members()) {
            json.writeStartObject();
            json.writeStringField("id", member.id());
            json.writeBooleanField("listed", member.listed());
            json.writeBooleanField("written", member.written());
            json.writeStringField("service", member.service());
            json.writeStringField("host", member.host());
            json.writeNumberField("share", member.share());
            json.writeNumberField("used", member.used());
            json.writeNumberField(
                    "leases", leases.getOrDefault(member.id(), Set.of()).size());
            json.writeNumberField("joinedMillis", member.joinedMillis());
            json.writeNumberField("renewedMillis", member.renewedMillis());
            json.writeNumberField("beat", member.beat());
            json.writeNumberField("beatsSeen", member.beatsSeen());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void shares(Shares shares, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("shares");
        json.writeNumberField("total", shares.total());
        json.writeNumberField("sum", shares.sum());
        json.writeNumberField("limit", shares.limit());
        json.writeNumberField("hungryUntilSeconds", shares.hungryUntilSeconds());
        json.writeEndObject();
    }

    private static void counter(Counter counter, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("counter");
        json.writeNumberField("active", counter.active());
        json.writeNumberField("limit", counter.limit());
        json.writeNumberField("leasesOfOurs", counter.ours());
        json.writeNumberField("leasesOfGo", counter.others());
        json.writeObjectFieldStart("leasesOfGoByService");
        for (Map.Entry<String, Integer> entry : counter.othersByService().entrySet()) {
            json.writeNumberField(entry.getKey(), entry.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static void bucket(Bucket bucket, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("bucket");
        json.writeNumberField("free", bucket.free());
        json.writeNumberField("burst", bucket.burst());
        json.writeNumberField("ratePerSecond", bucket.ratePerSecond());
        json.writeNumberField("aheadMillis", Math.max(0, bucket.aheadMicros() / 1_000));
        json.writeNumberField("updatedMillis", bucket.updatedMillis());
        json.writeEndObject();
    }

    private static void windows(Windows windows, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("windows");
        json.writeNumberField("limit", windows.limit());
        json.writeArrayFieldStart("seconds");
        for (Second second : windows.seconds()) {
            json.writeStartObject();
            json.writeNumberField("epochSecond", second.epochSecond());
            json.writeNumberField("count", second.count());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void findings(ClusterInspectionReport report, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("findings");
        for (Finding finding : report.findings()) {
            json.writeStartObject();
            json.writeStringField("kind", finding.kind().name().toLowerCase(Locale.ROOT));
            json.writeStringField("subject", finding.subject());
            json.writeBooleanField("wrong", finding.wrong());
            json.writeStringField("text", finding.text());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
