package dev.reservoir.remote.adapter;

/** The contract of the adapters on MariaDB with MariaDB's own driver. */
class MariaDbDriverContractTest extends MariaDbContract {
    @Override
    String driver() {
        return "mariadb";
    }
}
