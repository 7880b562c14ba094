package dev.reservoir.sim.scenario;

import dev.reservoir.core.Targets;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import java.time.Duration;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads one service of a scenario, or the defaults of all services. Rejects what the engine would reject. */
final class ServiceReader {
    static final int INSTANCES_MAX = 10_000;
    private static final int OPENS_MAX = 1_000_000;
    private static final int NAME_MAX = 100;
    private static final Duration LIFETIME_LEAST = Duration.ofMillis(1);

    private final Duration scenarioDuration;
    private final Recordings recordings;

    ServiceReader(Duration scenarioDuration, Recordings recordings) {
        this.scenarioDuration = scenarioDuration;
        this.recordings = recordings;
    }

    /** Reads one service and checks its values against each other. */
    Service read(Fields fields) {
        fields.require("name", "a name for the service");
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
        return new Service(
                fields.text("name", "", NAME_MAX),
                fields.whole("instances", 1, 1, INSTANCES_MAX),
                pool(fields),
                fields.duration("startDelay", Fields.ZERO, Fields.ZERO, Fields.YEAR),
                fields.duration("instanceDelay", Fields.ZERO, Fields.ZERO, Fields.YEAR),
                new WorkloadReader(fields.map("workload", Keys.WORKLOAD), recordings, complete).read());
    }

    private static Pool pool(Fields fields) {
        Pool usual = Defaults.POOL;
        int most = Targets.MAX_OPEN_LIMIT;
        int target = fields.whole("targetReady", usual.targetReady(), 1, most);
        return new Pool(
                target,
                fields.whole("maxOpen", target, 1, most),
                fields.whole("lowWatermark", target, 0, most),
                fields.duration("guardWindow", usual.guardWindow(), Fields.ZERO, Fields.YEAR),
                // Scenario files call the shortest lifetime baseLifetime.
                fields.duration("baseLifetime", usual.shortestLifetime(), LIFETIME_LEAST, Fields.YEAR),
                fields.duration("jitter", usual.jitter(), Fields.ZERO, Fields.YEAR),
                fields.duration("connectTimeout", usual.connectTimeout(), Fields.TINY, Fields.YEAR),
                fields.whole("opensInFlightMax", usual.opensInFlightMax(), 1, OPENS_MAX),
                fields.whole("successorAllowance", usual.successorAllowance(), -1, most),
                fields.duration("keepalive", usual.keepalive(), Fields.ZERO, Fields.YEAR),
                fields.choice("refillPacing", usual.refillPacing(), Defaults.REFILL_PACINGS));
    }

    private static void checkCounts(Fields fields, Pool pool) {
        if (!fields.areRight("targetReady")) {
            return;
        }
        String target = "targetReady (" + pool.targetReady() + ")";
        if (fields.areRight("maxOpen") && pool.maxOpen() < pool.targetReady()) {
            Node at = fields.at("maxOpen", "targetReady");
            fields.refuse(at, "maxOpen", "" + pool.maxOpen(), "a whole number, at least " + target);
        }
        if (fields.areRight("lowWatermark") && pool.lowWatermark() > pool.targetReady()) {
            Node at = fields.at("lowWatermark", "targetReady");
            fields.refuse(at, "lowWatermark", "" + pool.lowWatermark(), "a whole number, at most " + target);
        }
    }

    private static void checkLifetimes(Fields fields, Pool pool) {
        if (!fields.areRight("baseLifetime")) {
            return;
        }
        Duration shortest = pool.shortestLifetime();
        if (fields.areRight("guardWindow") && pool.guardWindow().compareTo(shortest) >= 0) {
            String allowed = "a duration less than baseLifetime (" + DurationText.format(shortest) + ")";
            Node at = fields.at("guardWindow", "baseLifetime");
            fields.refuse(at, "guardWindow", DurationText.format(pool.guardWindow()), allowed);
        }
        if (!fields.areRight("jitter")) {
            return;
        }
        if (pool.jitter().compareTo(pool.baseLifetime()) > 0) {
            String allowed = "a duration, at most twice baseLifetime (" + DurationText.format(shortest) + ")";
            Node at = fields.at("jitter", "baseLifetime");
            fields.refuse(at, "jitter", DurationText.format(pool.jitter()), allowed);
        } else if (pool.baseLifetime().compareTo(Fields.YEAR) > 0) {
            String allowed = "a duration that with half of jitter is at most " + DurationText.format(Fields.YEAR);
            Node at = fields.at("baseLifetime", "jitter");
            fields.refuse(at, "baseLifetime", DurationText.format(shortest), allowed);
        }
    }

    /** Notes a mistake if a process would start after the end of the scenario, because nobody intends that. */
    private void checkStarts(Fields fields, Service service) {
        if (!fields.areRight("startDelay", "instanceDelay", "instances")) {
            return;
        }
        String end = "the scenario's duration (" + DurationText.format(scenarioDuration) + ")";
        if (service.startDelay().compareTo(scenarioDuration) > 0) {
            fields.refuse(
                    fields.at("startDelay"),
                    "startDelay",
                    DurationText.format(service.startDelay()),
                    "a duration, at most " + end);
            return;
        }
        Duration last = service.startDelay().plus(service.instanceDelay().multipliedBy(service.instances() - 1L));
        if (last.compareTo(scenarioDuration) > 0) {
            fields.refuse(
                    fields.at("instanceDelay", "instances"),
                    "instanceDelay",
                    DurationText.format(service.instanceDelay()),
                    "a duration that lets all " + service.instances() + " processes start within " + end);
        }
    }
}
