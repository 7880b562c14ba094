/** The engine: keeps connections of any kind ready where opening them is rationed. */
module dev.reservoir.core {
    requires transitive java.management;
    requires static org.jspecify;
    requires org.slf4j;

    exports dev.reservoir.core;
    exports dev.reservoir.core.spi;
    exports dev.reservoir.core.time;
}
