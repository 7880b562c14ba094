package dev.reservoir.remote.faults;

/** The faults of a PostgreSQL server. */
class PostgresFaultsTest extends ServerFaultContract {
    @Override
    FaultServer startServer() throws Exception {
        return PostgresFaultServer.start();
    }
}
