package dev.reservoir.remote.adapter;

import org.jspecify.annotations.Nullable;

/**
 * Describes the server at the other end of a connection.
 *
 * @param product the name of the database as its driver says, for example {@code MariaDB}
 * @param version the version of the server
 * @param driver name and version of the driver
 * @param user the remote user
 * @param encrypted whether the connection uses TLS or the encryption of the database; null if that is not known
 */
public record SessionInfo(
        String product,
        String version,
        String driver,
        String user,
        @Nullable Boolean encrypted) {}
