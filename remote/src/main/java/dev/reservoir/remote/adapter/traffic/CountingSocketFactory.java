package dev.reservoir.remote.adapter.traffic;

import dev.reservoir.remote.adapter.SessionObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Properties;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes sockets whose bytes are counted. The class is public because drivers create it by its class name. It is not for
 * other use.
 */
public sealed class CountingSocketFactory extends SocketFactory {
    private final SessionObserver observer;

    /** For MariaDB's driver, which passes nothing. */
    public CountingSocketFactory() {
        this.observer = ConnectTicket.useOfThisThread();
    }

    /** For pgjdbc and Microsoft's driver, which pass one text. */
    public CountingSocketFactory(String ticket) {
        this.observer = ConnectTicket.use(ticket);
    }

    /** Makes a socket that is not connected yet. Does not block. */
    @Override
    public Socket createSocket() {
        return observer == SessionObserver.NONE ? new Socket() : new CountingSocket(observer);
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
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** The same for Jaybird, which passes the properties whose names end with {@code @socketFactory}. */
    public static final class ForFirebird extends CountingSocketFactory {
        /** The property for the ticket. */
        public static final String TICKET = "reservoir@socketFactory";

        public ForFirebird(Properties properties) {
            super(properties.getProperty(TICKET, ""));
        }
    }
}
