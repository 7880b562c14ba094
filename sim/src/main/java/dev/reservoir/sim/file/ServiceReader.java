package dev.reservoir.sim.file;

import static dev.reservoir.sim.scenario.ScenarioKeys.BASE_LIFETIME;
import static dev.reservoir.sim.scenario.ScenarioKeys.GUARD_WINDOW;
import static dev.reservoir.sim.scenario.ScenarioKeys.INSTANCES;
import static dev.reservoir.sim.scenario.ScenarioKeys.INSTANCE_DELAY;
import static dev.reservoir.sim.scenario.ScenarioKeys.JITTER;
import static dev.reservoir.sim.scenario.ScenarioKeys.LOW_WATERMARK;
import static dev.reservoir.sim.scenario.ScenarioKeys.MAX_OPEN;
import static dev.reservoir.sim.scenario.ScenarioKeys.START_DELAY;
import static dev.reservoir.sim.scenario.ScenarioKeys.TARGET_READY;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.ValueType;
import dev.reservoir.sim.scenario.Values;
import java.time.Duration;

/** Reads one service of a scenario, or the defaults of all services. Rejects what the engine would reject. */
final class ServiceReader {
    private final Duration scenarioDuration;
    private final Recordings recordings;

    ServiceReader(Duration scenarioDuration, Recordings recordings) {
        this.scenarioDuration = scenarioDuration;
        this.recordings = recordings;
    }

    /** Reads one service and checks its values against each other. */
    Service read(Fields fields) {
        fields.require(ScenarioKeys.SERVICE_NAME);
        Service service = values(fields, true);
        checkCounts(fields, service.pool());
        checkLifetimes(fields, service.pool());
        checkStarts(fields, service);
        return service;
    }

    /** Notes mistakes in single defaults. Each service checks how its values fit together. */
    void readDefaults(Fields fields) {
        values(fields, false);
    }

    private Service values(Fields fields, boolean complete) {
        Values values = fields.values(ScenarioKeys.SERVICE);
        Fields workload = fields.map(ScenarioKeys.SERVICE_WORKLOAD, ScenarioKeys.WORKLOAD.names());
        values.put(ScenarioKeys.SERVICE_WORKLOAD, new WorkloadReader(workload, recordings, complete).read());
        return values.build(Service.class);
    }

    private static void checkCounts(Fields fields, Pool pool) {
        if (!fields.areRight(TARGET_READY)) {
            return;
        }
        String target = "targetReady (" + pool.targetReady() + ")";
        if (pool.maxOpen() < pool.targetReady()) {
            refuse(fields, MAX_OPEN, TARGET_READY, "" + pool.maxOpen(), "a whole number, at least " + target);
        }
        if (pool.lowWatermark() > pool.targetReady()) {
            refuse(fields, LOW_WATERMARK, TARGET_READY, "" + pool.lowWatermark(), "a whole number, at most " + target);
        }
    }

    private static void checkLifetimes(Fields fields, Pool pool) {
        if (!fields.areRight(BASE_LIFETIME)) {
            return;
        }
        Duration shortest = pool.shortestLifetime();
        String base = "baseLifetime (" + DurationText.format(shortest) + ")";
        if (pool.guardWindow().compareTo(shortest) >= 0) {
            refuse(fields, GUARD_WINDOW, BASE_LIFETIME, pool.guardWindow(), "a duration less than " + base);
        }
        if (pool.jitter().compareTo(pool.baseLifetime()) > 0) {
            refuse(fields, JITTER, BASE_LIFETIME, pool.jitter(), "a duration, at most twice " + base);
        } else if (fields.areRight(JITTER) && pool.baseLifetime().compareTo(ValueType.YEAR) > 0) {
            String allowed = "a duration that with half of jitter is at most " + DurationText.format(ValueType.YEAR);
            refuse(fields, BASE_LIFETIME, JITTER, shortest, allowed);
        }
    }

    /** Notes a mistake if a process would start after the end of the scenario, because nobody intends that. */
    private void checkStarts(Fields fields, Service service) {
        if (!fields.areRight(START_DELAY, INSTANCE_DELAY, INSTANCES)) {
            return;
        }
        String end = "the scenario's duration (" + DurationText.format(scenarioDuration) + ")";
        if (service.startDelay().compareTo(scenarioDuration) > 0) {
            refuse(fields, START_DELAY, START_DELAY, service.startDelay(), "a duration, at most " + end);
            return;
        }
        Duration last = service.startDelay().plus(service.instanceDelay().multipliedBy(service.instances() - 1L));
        if (last.compareTo(scenarioDuration) > 0) {
            String allowed = "a duration that lets all " + service.instances() + " processes start within " + end;
            refuse(fields, INSTANCE_DELAY, INSTANCES, service.instanceDelay(), allowed);
        }
    }

    private static void refuse(Fields fields, Key<?, ?> key, Key<?, ?> other, Duration value, String allowed) {
        refuse(fields, key, other, DurationText.format(value), allowed);
    }

    /** Notes a mistake where the key stands, or where the key that it does not fit stands. */
    private static void refuse(Fields fields, Key<?, ?> key, Key<?, ?> other, String value, String allowed) {
        if (fields.areRight(key)) {
            fields.refuse(fields.at(key, other), key, value, allowed);
        }
    }
}
