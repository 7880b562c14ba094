package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.model.ModelLimits;
import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;

/** Virtual time, and a table in memory that answers in 3 to 8 ms under any load. The same seed gives the same run. */
final class ModelWorld implements World {
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long LATENCY_MIN_NANOS = 3_000_000L;
    private static final long LATENCY_MAX_NANOS = 8_000_000L;

    /** The wall clock at the start: some time in 2026, and not the beginning of a second. */
    private static final long BEGIN_NANOS = 1_767_225_600L * SECOND_NANOS + 371_000_000L;

    private final VirtualTime clock = new VirtualTime();
    private final ModelTable table = new ModelTable(() -> epochNanos() / SECOND_NANOS, ModelLimits.chargesOnly());
    private final SplittableRandom random = new SplittableRandom(1);

    private long epochNanos() {
        return BEGIN_NANOS + clock.nanos();
    }

    @Override
    public String title() {
        return "modelled table";
    }

    @Override
    public Time time(String process) {
        return clock;
    }

    @Override
    public Store store(Time time) {
        return new ModelStore(
                table, time, () -> random.nextLong(LATENCY_MIN_NANOS, LATENCY_MAX_NANOS + 1), () -> false);
    }

    @Override
    public InstantSource wallClock() {
        return () -> Instant.ofEpochSecond(0, epochNanos());
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    public void pass(Duration duration) {
        clock.advance(duration.toNanos());
    }

    @Override
    public void close() {}
}
