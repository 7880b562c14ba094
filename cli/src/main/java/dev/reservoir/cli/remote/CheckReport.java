package dev.reservoir.cli.remote;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.core.util.Text;
import dev.reservoir.sim.result.JsonResults;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints the results of checks, as a table or as JSON. */
final class CheckReport {
    private static final String UNKNOWN = "-";

    private CheckReport() {}

    /** Prints a table and a last line, and returns the exit code. */
    static int print(List<CheckResult> results, Console console) {
        TextTable table = new TextTable()
                .left("server")
                .left("type")
                .left("version")
                .left("user")
                .left("TLS")
                .right("connect")
                .right("ping")
                .right("health query")
                .left("problem");
        for (CheckResult result : results) {
            table.row(List.of(
                    result.server(),
                    result.type(),
                    result.version() == null ? UNKNOWN : result.version(),
                    user(result),
                    result.encrypted() == null ? UNKNOWN : result.encrypted() ? "on" : "off",
                    time(result.connectNanos()),
                    time(result.pingNanos()),
                    time(result.healthQueryNanos()),
                    result.problem() == null ? "none" : result.problem()));
        }
        table.print(console);
        console.out().println();
        long failed = results.stream().filter(result -> !result.works()).count();
        return failed == 0
                ? console.verdict(true, summary(results))
                : console.verdict(false, failed + " of " + NumberText.count(results.size(), "check") + " failed");
    }

    private static String summary(List<CheckResult> results) {
        long servers = results.stream().map(CheckResult::server).distinct().count();
        return NumberText.count(servers, "server") + ", " + NumberText.count(results.size(), "login");
    }

    private static String user(CheckResult result) {
        if (result.localUser() == null) {
            return UNKNOWN;
        }
        return result.localUser().equals(result.remoteUser())
                ? result.localUser()
                : result.localUser() + " as " + result.remoteUser();
    }

    private static String time(@Nullable Long nanos) {
        return nanos == null ? UNKNOWN : Text.nanos(nanos);
    }

    /** Writes JSON. Fields always come in the same order. Later versions may add fields at the end. */
    static void writeJson(List<CheckResult> results, Appendable to) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonResults.generator(text)) {
            json.writeStartObject();
            json.writeBooleanField("works", results.stream().allMatch(CheckResult::works));
            json.writeArrayFieldStart("checks");
            for (CheckResult result : results) {
                write(result, json);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        to.append(text.getBuffer()).append('\n');
    }

    private static void write(CheckResult result, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("server", result.server());
        json.writeStringField("type", result.type());
        json.writeStringField("version", result.version());
        json.writeStringField("localUser", result.localUser());
        json.writeStringField("remoteUser", result.remoteUser());
        if (result.encrypted() == null) {
            json.writeNullField("tls");
        } else {
            json.writeBooleanField("tls", result.encrypted());
        }
        writeMillis("connectMillis", result.connectNanos(), json);
        writeMillis("pingMillis", result.pingNanos(), json);
        writeMillis("healthQueryMillis", result.healthQueryNanos(), json);
        json.writeStringField("problem", result.problem());
        json.writeEndObject();
    }

    private static void writeMillis(String field, @Nullable Long nanos, JsonGenerator json) throws IOException {
        if (nanos == null) {
            json.writeNullField(field);
        } else {
            json.writeNumberField(field, nanos / 1_000 / 1e3);
        }
    }
}
