package dev.reservoir.bench.scenario;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Median;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.time.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The cost of one scan of all connections. It runs only the engine, on virtual time, with connections that open at
 * once. Each step advances the time by a second, in which exactly one scan happens, and measures that step. Other pools
 * have no such scan.
 */
public final class ScanPart {
    private static final int WARM_UP = 200;
    private static final int MEASURED = 300;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private ScanPart() {}

    /** Takes {@code --size}. */
    public static void run(Arguments arguments, Results results) throws IOException {
        int size = arguments.number("size", 10_000);
        VirtualTime time = new VirtualTime();
        // A lifetime so long that no connection expires during the measurement.
        Settings settings = Settings.builder().baseLifetime(Duration.ofHours(1)).build();
        // The reservoir is never closed, because the process ends with the part.
        Reservoir<Object> reservoir = Reservoir.builder(new AtOnce())
                .targets(Targets.of(size))
                .settings(settings)
                .time(time)
                .random(new SplittableRandom(1))
                .callbacks(time::execute)
                .build();
        time.advance(SECOND / 2);
        if (reservoir.stats().ready() != size) {
            throw new IllegalStateException("ready = " + reservoir.stats().ready() + " instead of " + size);
        }
        List<Double> nanos = new ArrayList<>();
        for (int i = -WARM_UP; i < MEASURED; i++) {
            long began = System.nanoTime();
            time.advance(SECOND);
            if (i >= 0) {
                nanos.add((double) (System.nanoTime() - began));
            }
        }
        results.sheet("scan", size + " connections", PoolKind.RESERVOIR)
                .lower("median", Unit.NANOS, Median.of(nanos))
                .lower("longest of " + MEASURED, Unit.NANOS, Collections.max(nanos));
    }

    private static final class AtOnce implements Connector<Object> {
        @Override
        public CompletionStage<Object> open(long timeoutNanos) {
            return CompletableFuture.completedFuture(new Object());
        }

        @Override
        public CompletionStage<Boolean> validate(Object connection, long timeoutNanos) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletionStage<Void> close(Object connection, DiscardReason reason) {
            return CompletableFuture.completedFuture(null);
        }
    }
}
