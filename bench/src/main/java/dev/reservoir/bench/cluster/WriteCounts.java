package dev.reservoir.bench.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts a fleet's writes by the kind of item, which is what stands before the first {@code #} of its key. For any thread. */
final class WriteCounts {
    private final Map<String, LongAdder> byKind = new ConcurrentHashMap<>();

    void wrote(String key) {
        byKind.computeIfAbsent(key.substring(0, key.indexOf('#')), unused -> new LongAdder())
                .increment();
    }

    /** How many writes of items of these kinds were sent. */
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
