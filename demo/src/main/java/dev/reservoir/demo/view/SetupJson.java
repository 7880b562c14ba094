package dev.reservoir.demo.view;

import dev.reservoir.demo.fault.Fault;
import dev.reservoir.demo.fleet.Scale;
import java.util.List;

/** The data that the page needs before the first snapshot. */
public final class SetupJson {
    private SetupJson() {}

    /** Returns the data as JSON. */
    static String of(String opening) {
        return JsonText.object(json -> {
            json.writeStringField("opening", opening);
            json.writeStringField("about", about());
            json.writeNumberField("connections", Scale.CONNECTIONS);
            JsonText.objects("faults", List.of(Fault.values()), json, (fault, one) -> {
                one.writeStringField("id", fault.id());
                one.writeStringField("title", fault.title());
                one.writeStringField("description", fault.description());
            });
        });
    }

    /** Describes the comparison in a few sentences. */
    public static String about() {
        return "Two fleets of " + Scale.SERVICES + " services run the same load: up to " + Scale.CONNECTIONS
                + " connections for each service, and " + (int) (Scale.SERVICES * Scale.WORKFLOWS_PER_SECOND)
                + " workflows a second for each fleet. Each fleet has its own emulated DSQL cluster with the same limits: "
                + (int) Scale.RATE_PER_SECOND + " new connections a second, " + Scale.BURST + " at once, "
                + Scale.MAX_OPEN + " open, none older than " + Scale.MAX_AGE.toSeconds() + " s.";
    }
}
