package dev.reservoir.bench.rationed;

/**
 * The counts of a rationed database, taken at one instant.
 *
 * @param attempts connects requested
 * @param opened connects that succeeded
 * @param refusedByRate connects refused with 53400
 * @param refusedByCount connects refused with 53300
 * @param open connections open now
 * @param openMax the largest number of connections ever open
 * @param openMin the smallest number of connections open since the last {@link RationedDatabase#markLow()}
 * @param brokenByAge calls that failed because their connection was too old
 */
public record RationCounts(
        long attempts,
        long opened,
        long refusedByRate,
        long refusedByCount,
        int open,
        int openMax,
        int openMin,
        long brokenByAge) {

    public long refused() {
        return refusedByRate + refusedByCount;
    }
}
