package dev.reservoir.emulator;

/**
 * The counts of an emulator since it started, taken at one instant.
 *
 * @param accepted connects that the emulator accepted: within the limits and with a valid token
 * @param refusedByRate connects refused because the bucket was empty
 * @param refusedByCount connects refused because too many connections were open
 * @param refusedByToken connects refused because of their token
 * @param open connections open now, including those that are still connecting
 * @param highestOpen the largest number of connections that were open at once
 * @param connectsLastSecond connects that took a token from the bucket within the last second
 * @param agedOut connections closed because of their age
 * @param conflicts conflicts reported to clients, of data and of schema
 * @param statementsRefused statements refused because DSQL does not support them
 * @param transactionsOverLimit transactions ended because they changed or wrote too much, or took too long
 * @param dropped connections dropped by {@link Faults#dropShare}
 */
public record Counters(
        long accepted,
        long refusedByRate,
        long refusedByCount,
        long refusedByToken,
        int open,
        int highestOpen,
        int connectsLastSecond,
        long agedOut,
        long conflicts,
        long statementsRefused,
        long transactionsOverLimit,
        long dropped) {}
