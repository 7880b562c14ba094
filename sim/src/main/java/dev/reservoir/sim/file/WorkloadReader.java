package dev.reservoir.sim.file;

import static dev.reservoir.sim.scenario.ScenarioKeys.ARRIVALS;
import static dev.reservoir.sim.scenario.ScenarioKeys.ENABLED;
import static dev.reservoir.sim.scenario.ScenarioKeys.HOLD;
import static dev.reservoir.sim.scenario.ScenarioKeys.HOLD_JITTER;
import static dev.reservoir.sim.scenario.ScenarioKeys.HOLD_TIME;

import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.Values;
import java.time.Duration;

/** Reads the workload of one service. */
final class WorkloadReader {
    private final Fields fields;
    private final Recordings recordings;

    /**
     * Whether this is the workload of a service, which must be complete. The defaults may leave keys to the services.
     */
    private final boolean complete;

    WorkloadReader(Fields fields, Recordings recordings, boolean complete) {
        this.fields = fields;
        this.recordings = recordings;
        this.complete = complete;
    }

    Workload read() {
        Values values = fields.values(ScenarioKeys.WORKLOAD);
        Arrival arrival = arrival(values);
        boolean isChosen = fields.areRight(ENABLED, ARRIVALS) && (complete || fields.hasOwn(ARRIVALS));
        if (isChosen && arrival != Arrival.NONE) {
            // Looks only at the keys of this map itself, because defaults may contain keys of several patterns.
            fields.refuseMeaningless(ScenarioKeys.WORKLOAD, arrival, ARRIVALS, " or ");
        }
        if (complete) {
            fields.requireNeeded(ScenarioKeys.WORKLOAD, arrival);
        }
        if (arrival == Arrival.RECORDED) {
            values.put(ScenarioKeys.TIMES, recordings.read(fields, values.get(ScenarioKeys.FILE), complete));
        }
        readHold(values);
        if (arrival == Arrival.NONE) {
            return ScenarioKeys.defaults(Workload.class);
        }
        values.put(ScenarioKeys.ARRIVAL, arrival);
        ScenarioKeys.WORKLOAD.keys().stream()
                .filter(key -> !key.hasMeaningWith(arrival))
                .forEach(values::remove);
        return values.build(Workload.class);
    }

    /**
     * A workload is on if {@code enabled} says so, or if {@code enabled} is missing and {@code arrivals} is present.
     */
    private Arrival arrival(Values values) {
        boolean says = fields.has(ENABLED) && fields.areRight(ENABLED);
        boolean enabled = says ? values.get(ENABLED) : fields.has(ARRIVALS);
        return enabled ? values.get(ARRIVALS) : Arrival.NONE;
    }

    /** Converts Go's form of the hold time, which replaces a hold time of the defaults. */
    private void readHold(Values values) {
        if (fields.hasOwn(HOLD)) {
            fields.refusePlace(HOLD_TIME, "without hold");
            fields.refusePlace(HOLD_JITTER, "without hold");
            return;
        }
        if (!fields.has(HOLD) || fields.hasOwn(HOLD_TIME) || fields.hasOwn(HOLD_JITTER)) {
            Duration time = values.get(HOLD_TIME);
            Duration jitter = values.get(HOLD_JITTER);
            values.put(HOLD, jitter.isZero() ? Latency.fixed(time) : Latency.uniform(time, time.plus(jitter)));
        }
    }
}
