/** A registry of connection pools to many servers, for many users. */
module dev.reservoir.remote {
    requires static org.jspecify;
    requires transitive dev.reservoir.core;
    requires transitive dev.reservoir.jdbc;
    requires transitive java.sql;
    requires static dev.reservoir.pgwire;
    requires org.slf4j;

    exports dev.reservoir.remote;
    exports dev.reservoir.remote.adapter;
    exports dev.reservoir.remote.adapter.catalog;
    exports dev.reservoir.remote.adapter.jdbc;
    exports dev.reservoir.remote.adapter.traffic;
    exports dev.reservoir.remote.metrics;
    exports dev.reservoir.remote.model;
    exports dev.reservoir.remote.sql;
    exports dev.reservoir.remote.sys;
    exports dev.reservoir.remote.sys.port;

    uses dev.reservoir.remote.adapter.DatabaseAdapter;

    provides dev.reservoir.remote.adapter.DatabaseAdapter with
            dev.reservoir.remote.adapter.database.FirebirdAdapter,
            dev.reservoir.remote.adapter.database.MySqlAdapter,
            dev.reservoir.remote.adapter.database.PostgresAdapter,
            dev.reservoir.remote.adapter.database.ScratchBirdAdapter,
            dev.reservoir.remote.adapter.database.SqlServerAdapter;
    provides java.sql.Driver with
            dev.reservoir.remote.RemoteDriver,
            dev.reservoir.remote.sys.SysDriver;
}
