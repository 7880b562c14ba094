package dev.reservoir.bench.dsql;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes every connection on to a port of this machine. A cut closes all connections, and new ones end at their first
 * byte until {@link #restore}.
 */
final class CuttableWay implements AutoCloseable {
    private static final int BUFFER = 16_384;

    private final int target;
    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    CuttableWay(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    void cut() {
        cut = true;
        sockets.forEach(CuttableWay::end);
    }

    void restore() {
        cut = false;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                daemon(() -> join(client));
            } catch (IOException e) {
                // The listener is closed, or the client has closed the connection before it was accepted.
            }
        }
    }

    private void join(Socket client) {
        sockets.add(client);
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
            sockets.add(server);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            daemon(() -> pass(server, client));
            pass(client, server);
            sockets.remove(server);
        } catch (IOException e) {
            end(client);
        }
        sockets.remove(client);
    }

    /**
     * Checks for a cut before every write, so that a connection accepted during the cut does not get through either.
     */
    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER];
        try {
            for (int read = from.getInputStream().read(buffer);
                    read >= 0 && !cut;
                    read = from.getInputStream().read(buffer)) {
                to.getOutputStream().write(buffer, 0, read);
            }
        } catch (IOException e) {
            // The connection has ended.
        }
        end(from);
        end(to);
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is closed even so.
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "way");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        cut();
        listening.close();
    }
}
