/** The budget of a cluster: permits and leases that a fleet shares, on any store that supports conditional writes. */
module dev.reservoir.cluster {
    requires static org.jspecify;
    requires transitive dev.reservoir.core;
    requires org.slf4j;

    exports dev.reservoir.cluster;
    exports dev.reservoir.cluster.model;
    exports dev.reservoir.cluster.store;
}
