package dev.reservoir.spring.boot.watch;

import dev.reservoir.core.Durations;
import dev.reservoir.core.InUseReport;
import dev.reservoir.core.Stats;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The actuator's endpoint {@code reservoir}: statistics of each reservoir, who holds its connections, and actions on
 * it. No operation blocks, and none takes a connection.
 */
@Endpoint(id = "reservoir")
public final class ReservoirEndpoint {
    /** Bounds the holders that are listed, so that a large pool does not give a huge answer. */
    private static final int HOLDERS_MAX = 100;

    private final ReservoirPools pools;

    /** Shows these reservoirs. */
    public ReservoirEndpoint(ReservoirPools pools) {
        this.pools = pools;
    }

    /** Lists the statistics of all reservoirs, by name. */
    @ReadOperation
    public Map<String, PoolReport> pools() {
        Map<String, PoolReport> reports = new LinkedHashMap<>();
        pools.running().forEach(pool -> reports.put(ReservoirPools.name(pool), PoolReport.of(pool)));
        return reports;
    }

    /**
     * Shows one reservoir and who holds its connections, the longest first. Null, which means 404, if there is none.
     */
    @ReadOperation
    public @Nullable PoolDetails pool(@Selector String name) {
        ReservoirDataSource pool = pools.find(name);
        if (pool == null) {
            return null;
        }
        List<String> holders = pool.checkouts(Duration.ZERO).stream()
                .limit(HOLDERS_MAX)
                .map(InUseReport::describe)
                .toList();
        return new PoolDetails(PoolReport.of(pool), holders);
    }

    /**
     * Acts on one reservoir: {@code evict} replaces its connections, {@code pause} and {@code resume}. Returns nothing,
     * since the reservoir acts soon after the call.
     */
    @WriteOperation
    public void act(@Selector String name, @Selector String action) {
        ReservoirDataSource pool = pools.find(name);
        if (pool == null) {
            String known = pools.running().stream().map(ReservoirPools::name).collect(Collectors.joining(", "));
            throw refused("name", name, known);
        }
        switch (action.toLowerCase(Locale.ROOT)) {
            case "evict" -> pool.flush();
            case "pause" -> pool.pause();
            case "resume" -> pool.resume();
            default -> throw refused("action", action, "evict, pause, resume");
        }
    }

    private static InvalidEndpointRequestException refused(String parameter, String value, String allowed) {
        String text = parameter + " is \"" + value + "\"; allowed: " + allowed;
        return new InvalidEndpointRequestException(text, text);
    }

    /** The state of a reservoir at one instant, and totals since its start. Durations are text, such as 1.5ms. */
    public record PoolReport(
            int open,
            int ready,
            int inUse,
            int validating,
            int opening,
            int waiting,
            boolean paused,
            int maxOpen,
            int targetReady,
            long checkouts,
            long timeouts,
            long opened,
            Map<String, Long> discards,
            Map<String, Long> openFailures,
            Times checkoutTime,
            Times waitTime,
            Times useTime,
            Times openTime) {

        static PoolReport of(ReservoirDataSource pool) {
            Stats stats = pool.stats();
            Map<String, Long> discards = new LinkedHashMap<>();
            stats.discards().forEach((reason, count) -> discards.put(reason.label(), count));
            Map<String, Long> failures = new LinkedHashMap<>();
            stats.openFailures().forEach((reason, count) -> failures.put(reason.label(), count));
            return new PoolReport(
                    stats.open(),
                    stats.ready(),
                    stats.inUse(),
                    stats.validating(),
                    stats.opening(),
                    stats.waiting(),
                    stats.paused(),
                    stats.targets().maxOpen(),
                    stats.targets().targetReady(),
                    stats.checkouts(),
                    stats.timeouts(),
                    stats.opened(),
                    discards,
                    failures,
                    Times.of(stats.checkoutTime()),
                    Times.of(stats.waitTime()),
                    Times.of(stats.useTime()),
                    Times.of(stats.openTime()));
        }
    }

    /** A summary of durations. */
    public record Times(long count, String p50, String p99, String max) {
        static Times of(Durations durations) {
            return new Times(
                    durations.count(),
                    DurationText.format(durations.p50Nanos()),
                    DurationText.format(durations.p99Nanos()),
                    DurationText.format(durations.maxNanos()));
        }
    }

    /** A reservoir, and the holders of its connections: how long, thread, and the place if checkouts are tracked. */
    public record PoolDetails(PoolReport pool, List<String> holders) {}
}
