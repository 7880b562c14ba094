package dev.reservoir.remote.adapter;

/**
 * A JDBC driver.
 *
 * @param name the value of the option {@code driver} that chooses it
 * @param className the class that implements {@link java.sql.Driver}
 * @param artifact the Maven artifact as {@code group:artifact}; for a driver that is not in a repository, a sentence
 *     that says where it comes from
 */
public record DriverInfo(String name, String className, String artifact) {}
