/** PostgreSQL's wire protocol, for Reservoir's own modules only. */
// The jars of Netty have automatic module names and no module descriptors. The modules that may use this one are
// compiled later.
@SuppressWarnings({"module", "requires-automatic"})
module dev.reservoir.pgwire {
    requires static org.jspecify;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires org.slf4j;

    exports dev.reservoir.pgwire to
            dev.reservoir.emulator,
            dev.reservoir.remote;
    exports dev.reservoir.pgwire.auth to
            dev.reservoir.emulator;
    exports dev.reservoir.pgwire.channel to
            dev.reservoir.emulator;
    exports dev.reservoir.pgwire.message to
            dev.reservoir.emulator;
    exports dev.reservoir.pgwire.sql to
            dev.reservoir.emulator;
    exports dev.reservoir.pgwire.startup to
            dev.reservoir.emulator;
}
