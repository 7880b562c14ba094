package dev.reservoir.demo.fleet;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.SocketFactory;

/**
 * The sockets of one life of one service, so that they can be cut as if its process had died. The PostgreSQL driver makes it by its class name,
 * with the name of that life.
 */
public final class ServiceSockets extends SocketFactory {
    private static final Map<String, Life> LIVES = new ConcurrentHashMap<>();

    private final Life life;

    /** Sockets of this life. */
    public ServiceSockets(String life) {
        this.life = life(life);
    }

    private static Life life(String name) {
        return LIVES.computeIfAbsent(name, unused -> new Life());
    }

    /** Cuts all of its connections, and lets it make no more. */
    static void cut(String name) {
        life(name).cut();
    }

    /** Lets go of what is known of it. */
    static void forget(String name) {
        LIVES.remove(name);
    }

    @Override
    public Socket createSocket() throws IOException {
        return life.add();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host, port);
    }

    private Socket connected(InetSocketAddress address) throws IOException {
        Socket socket = createSocket();
        try {
            socket.connect(address);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** One life of a service. */
    private static final class Life {
        private final Set<Socket> open = ConcurrentHashMap.newKeySet();
        private volatile boolean over;

        Socket add() throws IOException {
            Socket socket = new Known(open);
            open.add(socket);
            // Looked at after it was added: either the cut sees the socket, or this sees the cut.
            if (over) {
                socket.close();
                throw new IOException("this service was made to crash");
            }
            return socket;
        }

        void cut() {
            over = true;
            for (Socket socket : open) {
                try {
                    // The other side is told at once, as by a kernel that cleans up after a process.
                    socket.setSoLinger(true, 0);
                    socket.close();
                } catch (IOException closedAlready) {
                    // As it was to be.
                }
            }
        }
    }

    /** A socket that is forgotten when it is closed. */
    private static final class Known extends Socket {
        private final Set<Socket> open;

        Known(Set<Socket> open) {
            this.open = open;
        }

        @Override
        public synchronized void close() throws IOException {
            open.remove(this);
            super.close();
        }
    }
}
