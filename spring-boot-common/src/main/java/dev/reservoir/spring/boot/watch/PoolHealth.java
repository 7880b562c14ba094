package dev.reservoir.spring.boot.watch;

import dev.reservoir.core.Counts;
import dev.reservoir.core.Stats;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The health of a reservoir, from its counters alone. Never takes a connection, so it answers at once, however busy the
 * reservoir is.
 *
 * @param status the status, in words that Spring Boot knows
 * @param details what led to it
 */
public record PoolHealth(Status status, Map<String, Object> details) {

    /** The names are those of Spring Boot's statuses. The first three are in their order, the worst last. */
    public enum Status {
        /** It has connections, or its last connect has not failed. */
        UP,
        /** It is paused. */
        OUT_OF_SERVICE,
        /** It has no connection, wants some, and its connects fail. */
        DOWN,
        /** The application has no reservoir. */
        UNKNOWN
    }

    /** The health of all reservoirs of an application: the worst of them, and the details of each. */
    public static PoolHealth of(ReservoirPools pools) {
        Status worst = Status.UNKNOWN;
        Map<String, Object> details = new LinkedHashMap<>();
        for (ReservoirDataSource pool : pools.running()) {
            PoolHealth health = of(pool);
            worst = worst == Status.UNKNOWN || worst.compareTo(health.status) < 0 ? health.status : worst;
            details.put(ReservoirPools.name(pool), health.details);
        }
        return new PoolHealth(worst, details);
    }

    /** The health of a reservoir that runs. */
    static PoolHealth of(ReservoirDataSource pool) {
        Stats stats = pool.stats();
        Counts counts = stats.counts();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("status", status(stats).name());
        details.put("open", counts.size());
        details.put("ready", counts.ready());
        details.put("inUse", counts.inUse());
        details.put("opening", counts.opening());
        details.put("waiting", counts.waiting());
        details.put("maxOpen", counts.targets().maxOpen());
        details.put("timeouts", stats.timeouts());
        details.put("waitP99", DurationText.format(stats.waitTime().p99Nanos()));
        stats.openFailures().forEach((reason, count) -> {
            if (count > 0) {
                details.put("openFailures." + reason.label(), count);
            }
        });
        return new PoolHealth(status(stats), details);
    }

    /** An old failure does not count: after an evict, a healthy reservoir has no connection for a moment. */
    static Status status(Stats stats) {
        if (stats.paused()) {
            return Status.OUT_OF_SERVICE;
        }
        boolean hasNone = stats.open() + stats.overflow() == 0;
        boolean wantsSome =
                stats.opening() > 0 || stats.waiting() > 0 || stats.targets().targetReady() > 0;
        return hasNone && stats.connectsFail() && wantsSome ? Status.DOWN : Status.UP;
    }
}
