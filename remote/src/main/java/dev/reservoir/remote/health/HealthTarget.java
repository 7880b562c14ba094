package dev.reservoir.remote.health;

import dev.reservoir.remote.model.HealthCheckConfig;
import java.sql.SQLException;
import java.time.Duration;

/** A server as its health checks see it. */
public interface HealthTarget {

    /** The name in messages and threads. */
    String name();

    /** How the server is checked. May change from one check to the next. */
    HealthCheckConfig health();

    /**
     * Checks the server once. Blocks, for the timeout or as long as the driver hangs. Returns false if the check says
     * nothing about the server, for example because no mapping exists to log in with.
     *
     * @throws SQLException if the server did not answer as it should
     */
    boolean check(Duration timeout) throws SQLException;

    /** Ends a check that hangs, if possible. Must not block. */
    void abortCheck();

    /** Records a good check. */
    void succeeded();

    /** Records a failed check. */
    void failed(String reason);
}
