package dev.reservoir.cluster.store;

/**
 * What a store was asked so far, and what that cost.
 *
 * @param calls calls sent
 * @param errors calls that failed, whatever the reason; writes whose conditions did not hold are none
 * @param throttled those of them that were too many
 * @param conflicts those of them that met another transaction
 * @param itemsRead items asked for
 * @param itemsWritten items written, or tried and found not to be as the conditions wanted
 * @param readUnits read capacity consumed, as the store says it, or reckoned by its rules where it does not
 * @param writeUnits write capacity consumed, likewise
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

    /** Nothing so far. */
    public static final StoreCounts NONE = new StoreCounts(0, 0, 0, 0, 0, 0, 0, 0);

    /** Both together. */
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
