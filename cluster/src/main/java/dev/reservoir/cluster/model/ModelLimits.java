package dev.reservoir.cluster.model;

import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.util.TokenBucket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Models what a store in the cloud allows for one key, and what it charges. A key takes 1,000 write units and 3,000
 * read units per second. Calls beyond that are throttled. A write costs one unit for each started KB of the item before
 * or after it, whichever is larger, and twice that in a transaction. A read costs one unit for each started 4 KB, and
 * half of that if it need not be consistent. A transaction locks its items while it is under way, and another write in
 * that time fails with a conflict. Not safe for use by several threads.
 */
public final class ModelLimits {
    private static final double WRITE_UNITS_A_SECOND = 1_000;
    private static final double READ_UNITS_A_SECOND = 3_000;
    private static final double WRITE_UNIT_BYTES = 1_024;
    private static final double READ_UNIT_BYTES = 4_096;

    /** How long a transaction locks its items: about what its two phases take within one region. */
    private static final long LOCK_NANOS = 6_000_000L;

    private final LongSupplier nowNanos;
    private final boolean enforced;
    private final Map<String, TokenBucket> writes = new HashMap<>();
    private final Map<String, TokenBucket> reads = new HashMap<>();
    private final Map<String, Long> lockedUntilNanos = new HashMap<>();
    private double readUnits;
    private double writeUnits;

    /** The limits of an idle table, on this clock. */
    public ModelLimits(LongSupplier nowNanos) {
        this(nowNanos, true);
    }

    private ModelLimits(LongSupplier nowNanos, boolean enforced) {
        this.nowNanos = nowNanos;
        this.enforced = enforced;
    }

    /** Charges for calls, but never throttles a call and knows no conflicts. */
    public static ModelLimits chargesOnly() {
        return new ModelLimits(() -> 0, false);
    }

    /** Read units consumed so far, by all callers. */
    public double readUnits() {
        return readUnits;
    }

    /** Write units consumed so far, by all callers. */
    public double writeUnits() {
        return writeUnits;
    }

    /** Charges for a read, or throws if it is throttled. */
    void read(String key, @Nullable Item item, boolean consistent) {
        double units = Math.max(1, Math.ceil(bytes(key, item) / READ_UNIT_BYTES)) * (consistent ? 1 : 0.5);
        charge(reads, key, units, READ_UNITS_A_SECOND);
        readUnits += units;
    }

    /** Charges for a write of one item, or throws if it is throttled or conflicts. */
    void write(String key, @Nullable Item before, @Nullable Item after) {
        double units = writeUnits(key, before, after);
        charge(writes, key, units, WRITE_UNITS_A_SECOND);
        writeUnits += units;
        refuseIfLocked(key);
    }

    /** Charges for a transaction and locks its items, or throws if it is throttled or conflicts. */
    void transact(List<String> keys, List<@Nullable Item> before, List<@Nullable Item> after) {
        for (int i = 0; i < keys.size(); i++) {
            double units = 2 * writeUnits(keys.get(i), before.get(i), after.get(i));
            charge(writes, keys.get(i), units, WRITE_UNITS_A_SECOND);
            writeUnits += units;
        }
        keys.forEach(this::refuseIfLocked);
        if (enforced) {
            keys.forEach(key -> lockedUntilNanos.put(key, nowNanos.getAsLong() + LOCK_NANOS));
        }
    }

    private void refuseIfLocked(String key) {
        Long until = lockedUntilNanos.get(key);
        if (until != null && nowNanos.getAsLong() < until) {
            throw new StoreException(Kind.CONFLICT, "another transaction has " + key);
        }
    }

    private void charge(Map<String, TokenBucket> buckets, String key, double units, double perSecond) {
        if (!enforced) {
            return;
        }
        long now = nowNanos.getAsLong();
        TokenBucket bucket = buckets.computeIfAbsent(key, unused -> new TokenBucket(perSecond, perSecond, now));
        if (!bucket.tryTake(units, now)) {
            throw new StoreException(Kind.THROTTLED, "too many units a second for " + key);
        }
    }

    private static double writeUnits(String key, @Nullable Item before, @Nullable Item after) {
        return Math.max(1, Math.ceil(Math.max(bytes(key, before), bytes(key, after)) / WRITE_UNIT_BYTES));
    }

    private static double bytes(String key, @Nullable Item item) {
        double bytes = "pk".length() + bytes(key);
        if (item != null) {
            for (Map.Entry<String, Object> attribute : item.attributes().entrySet()) {
                bytes += bytes(attribute.getKey()) + bytes(attribute.getValue());
            }
        }
        return bytes;
    }

    private static double bytes(Object value) {
        if (value instanceof Long number) {
            return Long.toString(number).length() / 2 + 1;
        }
        if (value instanceof Set<?> texts) {
            return texts.stream().mapToDouble(ModelLimits::bytes).sum();
        }
        return value.toString().getBytes(StandardCharsets.UTF_8).length;
    }
}
