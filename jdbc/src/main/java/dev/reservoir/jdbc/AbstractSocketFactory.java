package dev.reservoir.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/** What the socket factories of Reservoir have in common. Each says how it makes a socket that is not connected yet. */
public abstract class AbstractSocketFactory extends SocketFactory {
    /** For subclasses. */
    protected AbstractSocketFactory() {}

    /** Makes a socket that is not connected yet. Does not block. */
    @Override
    public abstract Socket createSocket() throws IOException;

    /** Blocks while it connects, as the other methods with an address do. */
    @Override
    public final Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public final Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
    }

    @Override
    public final Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public final Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
            throws IOException {
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
