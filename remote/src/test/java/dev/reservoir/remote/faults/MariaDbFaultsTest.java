package dev.reservoir.remote.faults;

/** The faults of a MariaDB server, with MariaDB's driver. */
class MariaDbFaultsTest extends ServerFaultContract {
    @Override
    FaultServer startServer() throws Exception {
        return MariaDbFaultServer.start("mariadb");
    }
}
