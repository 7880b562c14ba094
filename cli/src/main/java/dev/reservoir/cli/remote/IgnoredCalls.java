package dev.reservoir.cli.remote;

import dev.reservoir.remote.sql.SysProcedures;

/** Makes no call. A check has no pools. */
enum IgnoredCalls implements SysProcedures {
    INSTANCE;

    @Override
    public void warmupPool(String server, int count) {}

    @Override
    public void evictIdleConnections(String server) {}

    @Override
    public void closeAllConnections(String server) {}

    @Override
    public void resetConnection(String server, long connectionId) {}
}
