package dev.reservoir.pgwire;

/**
 * A column of a result.
 *
 * @param name its name
 * @param type the type of its values
 */
public record Column(String name, PgType type) {}
