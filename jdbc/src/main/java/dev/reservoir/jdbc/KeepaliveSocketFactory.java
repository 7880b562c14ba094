package dev.reservoir.jdbc;

import dev.reservoir.jdbc.connect.KeepaliveSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes plain sockets with TCP keepalive. After 5 seconds of silence TCP probes the peer every 5 seconds, and gives up
 * after 3 probes without an answer. So a call that waits for a dead server ends after about 20 seconds. A server that
 * is only slow still answers the probes. The class is public because drivers create it by its class name. It is not for
 * other use.
 *
 * <p>If the operating system does not support an option, its own timing applies.
 */
public final class KeepaliveSocketFactory extends SocketFactory {
    /** For drivers. */
    public KeepaliveSocketFactory() {}

    /** Makes a socket that is not connected yet. Does not block. */
    @Override
    public Socket createSocket() throws IOException {
        return KeepaliveSockets.create();
    }

    /** Blocks while it connects, as the other methods with an address do. */
    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
    }

    private Socket connected(SocketAddress to, @Nullable SocketAddress from) throws IOException {
        Socket socket = createSocket();
        try {
            if (from != null) {
                socket.bind(from);
            }
            socket.connect(to);
            return socket;
        } catch (IOException | RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }
}
