package dev.reservoir.cluster.model;

import dev.reservoir.cluster.store.Item;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A replica that serves reads that need not be consistent. It shows each item as it was some time ago. A read may see
 * an older state than the read before it, as happens when each read goes to another replica. Not safe for use by
 * several threads.
 */
public final class ModelReplica {
    /** Every read sees writes that are older than this. */
    private static final long BEHIND_MAX_NANOS = 10_000_000_000L;

    private final LongSupplier nowNanos;
    private final LongSupplier behindNanos;
    private final Map<String, ArrayDeque<Version>> versions = new HashMap<>();

    /**
     * A replica of a table.
     *
     * @param nowNanos the current time
     * @param behindNanos how far a read is behind, drawn for each item; at most ten seconds
     */
    public ModelReplica(LongSupplier nowNanos, LongSupplier behindNanos) {
        this.nowNanos = nowNanos;
        this.behindNanos = behindNanos;
    }

    void written(String key, @Nullable Item before, @Nullable Item after) {
        long now = nowNanos.getAsLong();
        ArrayDeque<Version> all = versions.computeIfAbsent(key, unused -> new ArrayDeque<>());
        if (all.isEmpty()) {
            all.add(new Version(Long.MIN_VALUE, before));
        }
        all.add(new Version(now, after));
        while (all.size() > 1 && second(all).sinceNanos <= now - BEHIND_MAX_NANOS) {
            all.removeFirst();
        }
    }

    private static Version second(ArrayDeque<Version> all) {
        var each = all.iterator();
        each.next();
        return each.next();
    }

    @Nullable
    Item read(String key, @Nullable Item now) {
        ArrayDeque<Version> all = versions.get(key);
        if (all == null) {
            return now;
        }
        long at = nowNanos.getAsLong() - Math.min(BEHIND_MAX_NANOS, behindNanos.getAsLong());
        Item seen = all.getFirst().item;
        for (Version version : all) {
            if (version.sinceNanos > at) {
                break;
            }
            seen = version.item;
        }
        return seen;
    }

    private record Version(long sinceNanos, @Nullable Item item) {}
}
