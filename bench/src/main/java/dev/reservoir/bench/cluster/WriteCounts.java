package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.Write;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Counts a fleet's writes by the kind of item, which is the part of its key before the first {@code #}. Safe for use by
 * several threads.
 */
final class WriteCounts {
    private final Map<String, LongAdder> byKind = new ConcurrentHashMap<>();

    void add(Write write) {
        String key = write.key();
        byKind.computeIfAbsent(key.substring(0, key.indexOf('#')), unused -> new LongAdder())
                .increment();
    }

    /** The number of writes of items of these kinds. */
    long of(String... kinds) {
        return Stream.of(kinds)
                .map(byKind::get)
                .filter(Objects::nonNull)
                .mapToLong(LongAdder::sum)
                .sum();
    }
}
