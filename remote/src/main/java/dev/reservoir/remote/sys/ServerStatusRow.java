package dev.reservoir.remote.sys;

import dev.reservoir.remote.ServerHealth;
import dev.reservoir.remote.model.ServerDefinition;

/** A row of {@code sys.remote_server_status}: one server and its health. */
record ServerStatusRow(ServerDefinition server, ServerHealth health) {}
