package dev.reservoir.emulator;

/**
 * What an emulator has counted since it started, as of one moment.
 *
 * @param accepted connects that were let in: within the limits, with a token that is good
 * @param refusedByRate connects refused because the bucket was empty
 * @param refusedByCount connects refused because too many connections were open
 * @param refusedByToken connects refused because of their token
 * @param open connections open now, those that are still connecting among them
 * @param highestOpen the most that were open at once
 * @param connectsLastSecond connects that took a place from the bucket within the last second
 * @param agedOut connections closed because of their age
 * @param conflicts conflicts that were reported, of data and of schema
 * @param statementsRefused statements refused because DSQL does not know them
 * @param transactionsOverLimit transactions ended because they changed or wrote too much, or took too long
 * @param dropped connections dropped on demand
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
