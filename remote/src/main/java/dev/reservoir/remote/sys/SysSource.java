package dev.reservoir.remote.sys;

import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.util.List;

/** Gives the rows of the views. Each list is taken at one instant. Methods may be called by any thread. */
interface SysSource {
    List<PoolRow> pools();

    List<UserPoolRow> userPools();

    List<ConnectionRow> connections();

    List<ServerStatusRow> serverStatus();

    List<ServerDefinition> servers();

    List<UserMapping> mappings();

    /** Whether there will be no rows any more. */
    default boolean isClosed() {
        return false;
    }
}
