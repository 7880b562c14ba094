package dev.reservoir.jdbc;

import dev.reservoir.jdbc.connect.KeepaliveSockets;
import java.io.IOException;
import java.net.Socket;

/**
 * Makes plain sockets with TCP keepalive. After 5 seconds of silence TCP probes the peer every 5 seconds, and gives up
 * after 3 probes without an answer. So a call that waits for a dead server ends after about 20 seconds. A server that
 * is only slow still answers the probes. The class is public because drivers create it by its class name. It is not for
 * other use.
 *
 * <p>If the operating system does not support an option, its own timing applies.
 */
public final class KeepaliveSocketFactory extends AbstractSocketFactory {
    /** For drivers. */
    public KeepaliveSocketFactory() {}

    @Override
    public Socket createSocket() throws IOException {
        return KeepaliveSockets.create();
    }
}
