package dev.reservoir.remote.faults;

/** The faults of a Firebird server. */
class FirebirdFaultsTest extends ServerFaultContract {
    @Override
    FaultServer startServer() throws Exception {
        return FirebirdFaultServer.start();
    }
}
