package dev.reservoir.remote.adapter;

/**
 * What one connection has done since it was opened.
 *
 * @param errors statements that failed
 * @param rows rows read and rows changed
 * @param queryNanos total time of all statements, without the time to read the rows of a cursor
 */
public record SessionStats(long queries, long errors, long rows, long queryNanos) {}
