package dev.reservoir.metrics.micrometer;

import dev.reservoir.core.metrics.MetricSource;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** The meters of one source in one registry. Any thread may read them. */
final class BoundMeters {
    /** How long values are used before the source is read again, so that one scrape reads it once. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A registry holds the object of a meter weakly. This one is never collected, and the meters themselves hold ours.
     */
    private static final Object HELD = BoundMeters.class;

    /** The meter that every binding has. */
    private static final MeterReading.Key OWN = new MeterReading.Key("reservoir.metrics.values", Tags.empty());

    private static final AtomicInteger BINDINGS = new AtomicInteger();

    private final int number = BINDINGS.incrementAndGet();

    private final MetricSource source;
    private final MeterRegistry registry;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Map<MeterReading.Key, Meter> meters = new HashMap<>();

    /** Replaced as a whole. Guarded by the lock for writers. */
    private volatile Map<MeterReading.Key, MeterReading> values = Map.of();

    private volatile long readNanos;

    /** Guarded by the lock. */
    private boolean removed;

    BoundMeters(MetricSource source, MeterRegistry registry) {
        this.source = source;
        this.registry = registry;
    }

    /** Reads the source, and registers and removes meters so that each value has one. */
    void refresh() {
        lock.lock();
        try {
            if (!removed) {
                // Reading it finds the first values of a source that has none yet, such as one that has not started.
                meters.computeIfAbsent(
                        OWN,
                        key -> Gauge.builder(key.name(), HELD, held -> shown())
                                .description("How many values a source of metrics has.")
                                .tags(Tags.of("binding", Integer.toString(number)))
                                .register(registry));
                read();
            }
        } finally {
            lock.unlock();
        }
    }

    private int shown() {
        readIfDue();
        return values.size();
    }

    void remove() {
        lock.lock();
        try {
            removed = true;
            meters.values().forEach(registry::remove);
            meters.clear();
        } finally {
            lock.unlock();
        }
    }

    private void read() {
        // Noted first, because a meter that is registered below may be read at once.
        readNanos = registry.config().clock().monotonicTime();
        Map<MeterReading.Key, MeterReading> now = new HashMap<>();
        List<MeterReading> readings = MeterReading.of(source.read());
        for (MeterReading reading : readings) {
            now.put(reading.key(), reading);
        }
        values = now;
        meters.entrySet().removeIf(meter -> {
            boolean gone = !meter.getKey().equals(OWN) && !now.containsKey(meter.getKey());
            if (gone) {
                registry.remove(meter.getValue());
            }
            return gone;
        });
        for (MeterReading reading : readings) {
            meters.computeIfAbsent(reading.key(), key -> register(reading));
        }
    }

    private Meter register(MeterReading reading) {
        MeterReading.Key key = reading.key();
        return switch (reading.kind()) {
            case GAUGE ->
                Gauge.builder(key.name(), HELD, held -> latest(key).value())
                        .description(reading.help())
                        .tags(key.tags())
                        .register(registry);
            case TIME_GAUGE ->
                TimeGauge.builder(
                                key.name(),
                                HELD,
                                TimeUnit.NANOSECONDS,
                                held -> latest(key).value())
                        .description(reading.help())
                        .tags(key.tags())
                        .register(registry);
            case COUNTER ->
                FunctionCounter.builder(key.name(), HELD, held -> latest(key).value())
                        .description(reading.help())
                        .tags(key.tags())
                        .register(registry);
            case TIMER ->
                FunctionTimer.builder(
                                key.name(),
                                HELD,
                                held -> latest(key).count(),
                                held -> latest(key).value(),
                                TimeUnit.NANOSECONDS)
                        .description(reading.help())
                        .tags(key.tags())
                        .register(registry);
        };
    }

    /** The last known value. Reads the source first if that is due and no other thread does. */
    private MeterReading latest(MeterReading.Key key) {
        readIfDue();
        return values.getOrDefault(key, MeterReading.MISSING);
    }

    private void readIfDue() {
        if (registry.config().clock().monotonicTime() - readNanos >= FRESH_NANOS && lock.tryLock()) {
            try {
                if (!removed) {
                    read();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
