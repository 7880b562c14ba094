package dev.reservoir.jdbc;

import dev.reservoir.jdbc.connect.CountedSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
    public static final int IDLE_SECONDS = 5;
    public static final int INTERVAL_SECONDS = 5;
    public static final int COUNT = 3;

    /** The options by name, because their constants are in a module that not every Java runtime has. */
    private static final Map<String, Integer> TIMING =
            Map.of("TCP_KEEPIDLE", IDLE_SECONDS, "TCP_KEEPINTERVAL", INTERVAL_SECONDS, "TCP_KEEPCOUNT", COUNT);

    /** The lists in which threads record the sockets that they make. A thread without an entry records none. */
    private static final Map<Thread, List<Socket>> MADE = new ConcurrentHashMap<>();

    /**
     * From now on, records the sockets that the current thread makes in this list. Null stops recording. Does not
     * block.
     */
    public static void noteSocketsIn(@Nullable List<Socket> list) {
        if (list == null) {
            MADE.remove(Thread.currentThread());
        } else {
            MADE.put(Thread.currentThread(), list);
        }
    }

    /** For drivers. */
    public KeepaliveSocketFactory() {}

    /** Makes a socket that is not connected yet. Does not block. */
    @Override
    public Socket createSocket() throws IOException {
        Socket socket = new CountedSocket();
        try {
            socket.setKeepAlive(true);
            setTiming(socket);
            List<Socket> made = MADE.get(Thread.currentThread());
            if (made != null) {
                made.add(socket);
            }
            return socket;
        } catch (IOException | RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    /** Sets the keepalive timing of this socket, as far as the operating system supports it. Does not block. */
    public static void setTiming(Socket socket) {
        for (SocketOption<?> option : socket.supportedOptions()) {
            set(socket, option);
        }
    }

    @SuppressWarnings("unchecked")
    private static void set(Socket socket, SocketOption<?> option) {
        Integer value = TIMING.get(option.name());
        if (value != null && option.type() == Integer.class) {
            try {
                socket.setOption((SocketOption<Integer>) option, value);
            } catch (IOException | UnsupportedOperationException refused) {
                // Some systems list an option but do not accept it.
            }
        }
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
