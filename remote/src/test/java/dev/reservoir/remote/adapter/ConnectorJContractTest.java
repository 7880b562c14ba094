package dev.reservoir.remote.adapter;

/** The contract of the adapters on MariaDB with MySQL Connector/J. */
class ConnectorJContractTest extends MariaDbContract {
    @Override
    String driver() {
        return "mysql";
    }
}
