package dev.reservoir.spring.boot.watch;

import dev.reservoir.core.Counts;
import dev.reservoir.core.Durations;
import dev.reservoir.core.Stats;
import dev.reservoir.jdbc.ReservoirDataSource;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Meters with the names and the tag of HikariCP's, under a prefix of our own: a dashboard for
 * {@code hikaricp.connections.*} needs one word changed. They read what the reservoir counts anyway, so they cost a
 * checkout nothing. Its timers have a count and a sum, and no maximum. Those of checkout and use are sampled: the sum
 * of the checkouts is extrapolated from the sample to all of them.
 */
public final class ReservoirMeters implements MeterBinder {
    private static final String PREFIX = "reservoir.connections";

    private final ReservoirPools pools;

    /**
     * Binds these reservoirs, also those that start later. The meters of one that does not run are 0, and totals stay
     * as they were at its end.
     */
    public ReservoirMeters(ReservoirPools pools) {
        this.pools = pools;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        pools.all().forEach((beanName, pool) -> new OnePool(registry, pool, tags(beanName, pool)).bind());
    }

    /** A reservoir that was given no name and has not started has only that of its bean. */
    private static Tags tags(String beanName, ReservoirDataSource pool) {
        return Tags.of("pool", Objects.requireNonNullElse(pool.getName(), beanName));
    }

    /** A registry holds a reservoir weakly, so meters do not keep a closed one in memory. */
    private record OnePool(MeterRegistry registry, ReservoirDataSource pool, Tags tags) {
        void bind() {
            gauge("", "All open connections: ready, in use or being validated", Counts::size);
            gauge(".active", "Connections in use", Counts::inUse);
            gauge(".idle", "Connections that are ready", Counts::ready);
            gauge(".pending", "Checkouts that wait for a connection", Counts::waiting);
            gauge(".opening", "Connects under way", Counts::opening);
            gauge(
                    ".max",
                    "The most connections held at once",
                    counts -> counts.targets().maxOpen());
            gauge(
                    ".min",
                    "Connections to be ready beside those in use",
                    counts -> counts.targets().targetReady());
            counter(".timeout", "Checkouts that ended without a connection", Stats::timeouts);
            counter(".opened", "Connections opened", Stats::opened);
            counter(
                    ".discarded",
                    "Connections discarded",
                    stats -> stats.discards().values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
            counter(
                    ".failed",
                    "Connects that failed",
                    stats -> stats.openFailures().values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
            timer(".acquire", "How long checkouts took; the sum is extrapolated from a sample", Stats::checkoutTime);
            timer(".usage", "How long connections were in use, sampled", Stats::useTime);
            timer(".creation", "How long connects took", Stats::openTime);
        }

        private void gauge(String name, String help, ToDoubleFunction<Counts> value) {
            Gauge.builder(PREFIX + name, pool, one -> one.isRunning() ? value.applyAsDouble(one.counts()) : 0)
                    .description(help)
                    .tags(tags())
                    .register(registry);
        }

        private static long read(ReservoirDataSource pool, ToLongFunction<Stats> value) {
            return pool.isRunning() ? value.applyAsLong(pool.stats()) : 0;
        }

        private void counter(String name, String help, ToLongFunction<Stats> value) {
            RisingValue total = new RisingValue();
            FunctionCounter.builder(PREFIX + name, pool, one -> total.atLeast(read(one, value)))
                    .description(help)
                    .tags(tags())
                    .register(registry);
        }

        private void timer(String name, String help, Function<Stats, Durations> times) {
            RisingValue count = new RisingValue();
            RisingValue sum = new RisingValue();
            FunctionTimer.builder(
                            PREFIX + name,
                            pool,
                            one -> count.atLeast(
                                    read(one, stats -> times.apply(stats).count())),
                            one -> sum.atLeast(
                                    read(one, stats -> times.apply(stats).sumNanos())),
                            TimeUnit.NANOSECONDS)
                    .description(help)
                    .tags(tags())
                    .register(registry);
        }
    }
}
