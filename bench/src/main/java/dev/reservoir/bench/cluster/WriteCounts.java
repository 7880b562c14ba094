package dev.reservoir.bench.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts a fleet's writes by the kind of item, which is the part of its key before the first {@code #}. Safe for use by
 * several threads.
 */
final class WriteCounts {
    private final Map<String, LongAdder> byKind = new ConcurrentHashMap<>();

    void wrote(String key) {
        byKind.computeIfAbsent(key.substring(0, key.indexOf('#')), unused -> new LongAdder())
                .increment();
    }

    /** The number of writes of items of these kinds. */
    long writes(String... kinds) {
        long sum = 0;
        for (String kind : kinds) {
            LongAdder writes = byKind.get(kind);
            sum += writes == null ? 0 : writes.sum();
        }
        return sum;
    }

    @Override
    public String toString() {
        return new TreeMap<>(byKind).toString();
    }
}
