package dev.reservoir.cluster.store;

/**
 * The calls to a store so far, and their cost.
 *
 * @param calls calls sent
 * @param errors calls that failed for any reason; writes whose conditions did not hold are not errors
 * @param throttled failed calls that the store throttled
 * @param conflicts failed calls that conflicted with another transaction
 * @param itemsRead items requested
 * @param itemsWritten items written, or attempted and refused because a condition did not hold
 * @param readUnits read capacity consumed, as the store reports it, or calculated by its rules if it does not
 * @param writeUnits write capacity consumed, determined in the same way
 */
public record StoreCounts(
        long calls,
        long errors,
        long throttled,
        long conflicts,
        long itemsRead,
        long itemsWritten,
        double readUnits,
        double writeUnits) {

    /** No calls so far. */
    public static final StoreCounts NONE = new StoreCounts(0, 0, 0, 0, 0, 0, 0, 0);

    /** Returns the sum of both. */
    public StoreCounts plus(StoreCounts other) {
        return new StoreCounts(
                calls + other.calls,
                errors + other.errors,
                throttled + other.throttled,
                conflicts + other.conflicts,
                itemsRead + other.itemsRead,
                itemsWritten + other.itemsWritten,
                readUnits + other.readUnits,
                writeUnits + other.writeUnits);
    }
}
