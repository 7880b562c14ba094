package dev.reservoir.jdbc.connect;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes sockets with TCP keepalive for {@link dev.reservoir.jdbc.KeepaliveSocketFactory}, and notes them for the thread
 * that connects. Never connects a socket and never blocks.
 */
public final class KeepaliveSockets {
    static final int IDLE_SECONDS = 5;
    static final int INTERVAL_SECONDS = 5;
    static final int COUNT = 3;

    /** The options by name, because their constants are in a module that not every Java runtime has. */
    private static final Map<String, Integer> TIMING =
            Map.of("TCP_KEEPIDLE", IDLE_SECONDS, "TCP_KEEPINTERVAL", INTERVAL_SECONDS, "TCP_KEEPCOUNT", COUNT);

    /** The lists in which threads record the sockets that they make. A thread without an entry records none. */
    private static final Map<Thread, List<Socket>> MADE = new ConcurrentHashMap<>();

    private KeepaliveSockets() {}

    /** From now on, records the sockets that the current thread makes in this list. Null stops recording. */
    static void noteIn(@Nullable List<Socket> list) {
        if (list == null) {
            MADE.remove(Thread.currentThread());
        } else {
            MADE.put(Thread.currentThread(), list);
        }
    }

    /** Makes a socket that is not connected yet. */
    public static Socket create() throws IOException {
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

    /** Sets the keepalive timing of this socket, as far as the operating system supports it. */
    static void setTiming(Socket socket) {
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
}
