package dev.reservoir.cli.remote;

import org.jspecify.annotations.Nullable;

/**
 * The result of a check of one server with one user mapping. What was not reached is null.
 *
 * @param type the type of the database
 * @param version name and version of the database
 * @param localUser the user of the mapping; null if the server has no mapping
 * @param encrypted whether the connection is encrypted; null also if the driver does not know
 * @param problem why the check failed; null if everything works
 */
record CheckResult(
        String server,
        String type,
        @Nullable String version,
        @Nullable String localUser,
        @Nullable String remoteUser,
        @Nullable Boolean encrypted,
        @Nullable Long connectNanos,
        @Nullable Long pingNanos,
        @Nullable Long healthQueryNanos,
        @Nullable String problem) {
    boolean works() {
        return problem == null;
    }
}
