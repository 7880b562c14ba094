/** The engine, which keeps connections of any kind ready where opening them is rationed. */
@SuppressWarnings("module") // the modules that may use the helpers are compiled later
module dev.reservoir.core {
    requires java.management;
    requires static jdk.jfr;
    requires static org.jspecify;
    requires org.slf4j;

    exports dev.reservoir.core;
    exports dev.reservoir.core.metrics;
    exports dev.reservoir.core.spi;
    exports dev.reservoir.core.time;
    exports dev.reservoir.core.util to
            dev.reservoir.cluster,
            dev.reservoir.dsql,
            dev.reservoir.dynamodb,
            dev.reservoir.flightsql,
            dev.reservoir.jdbc,
            dev.reservoir.remote;
}
