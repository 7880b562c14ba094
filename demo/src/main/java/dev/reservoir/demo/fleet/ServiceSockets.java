package dev.reservoir.demo.fleet;

import dev.reservoir.jdbc.AbstractSocketFactory;
import java.io.IOException;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sockets of one life of a service, which can be cut as if the process had died. The PostgreSQL driver creates this
 * class by name and passes the name of the life.
 */
public final class ServiceSockets extends AbstractSocketFactory {
    private static final Map<String, Life> LIVES = new ConcurrentHashMap<>();

    private final Life life;

    public ServiceSockets(String life) {
        this.life = life(life);
    }

    private static Life life(String name) {
        return LIVES.computeIfAbsent(name, unused -> new Life());
    }

    /** Cuts all connections of this life, and refuses new ones. */
    static void cut(String name) {
        life(name).cut();
    }

    /** Removes the record of this life. */
    static void forget(String name) {
        LIVES.remove(name);
    }

    @Override
    public Socket createSocket() throws IOException {
        return life.add();
    }

    private static final class Life {
        private final Set<Socket> open = ConcurrentHashMap.newKeySet();
        private volatile boolean over;

        Socket add() throws IOException {
            Socket socket = new Known(open);
            open.add(socket);
            // Checks after the socket was added. So either the cut sees the socket, or this thread sees the cut.
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
                    // Resets the connection, so that the server notices at once. A kernel does the same after the death
                    // of a process.
                    socket.setSoLinger(true, 0);
                    socket.close();
                } catch (IOException closedAlready) {
                    // The socket is closed already, as intended.
                }
            }
        }
    }

    /** A socket that removes itself from the record when it is closed. */
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
