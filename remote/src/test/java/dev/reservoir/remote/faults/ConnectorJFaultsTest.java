package dev.reservoir.remote.faults;

/** What users leave behind on a MariaDB server, with MySQL Connector/J. The server itself fails in other tests. */
class ConnectorJFaultsTest extends SessionFaultContract {
    @Override
    FaultServer startServer() throws Exception {
        return MariaDbFaultServer.start("mysql");
    }
}
