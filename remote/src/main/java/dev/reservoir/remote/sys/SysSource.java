package dev.reservoir.remote.sys;

import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.UserPoolStats;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.util.List;

/** Gives the rows of the views. Each list is taken at one instant. Methods may be called by any thread. */
interface SysSource {
    List<ServerPoolStats> pools();

    default List<UserPoolStats> userPools() {
        return pools().stream().flatMap(server -> server.users().stream()).toList();
    }

    List<ConnectionDetails> connections();

    List<ServerStatusRow> serverStatus();

    List<ServerDefinition> servers();

    List<UserMapping> mappings();

    /** Whether there will be no rows any more. */
    default boolean isClosed() {
        return false;
    }
}
