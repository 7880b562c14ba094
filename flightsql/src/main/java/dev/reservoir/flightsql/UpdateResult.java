package dev.reservoir.flightsql;

/**
 * The answer to an update.
 *
 * @param rows how many rows the server says it has changed; some servers report 0 or -1 for statements without
 *     parameters
 */
public record UpdateResult(long rows) {}
