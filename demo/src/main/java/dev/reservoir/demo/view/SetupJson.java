package dev.reservoir.demo.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.reservoir.demo.fleet.Scale;
import dev.reservoir.demo.trouble.Trouble;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** The data that the page needs before the first snapshot. */
public final class SetupJson {
    private SetupJson() {}

    /** Returns the data as JSON. */
    static String of(String opening) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("opening", opening);
            json.writeStringField("about", about());
            json.writeNumberField("connections", Scale.CONNECTIONS);
            json.writeArrayFieldStart("troubles");
            for (Trouble trouble : Trouble.values()) {
                json.writeStartObject();
                json.writeStringField("id", trouble.id());
                json.writeStringField("title", trouble.title());
                json.writeStringField("description", trouble.description());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Describes the comparison in a few sentences. */
    public static String about() {
        return "Twice " + Scale.SERVICES + " services with " + Scale.CONNECTIONS + " connections each and "
                + (int) (Scale.SERVICES * Scale.WORKFLOWS_PER_SECOND) + " workflows a second, on two emulated DSQL"
                + " clusters with the same limits: " + (int) Scale.RATE_PER_SECOND + " new connections a second, "
                + Scale.BURST + " at once, " + Scale.MAX_OPEN + " open, none older than " + Scale.MAX_AGE.toSeconds()
                + " s.";
    }
}
