package dev.reservoir.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A relay to a server that can lose packets and end connections. Listens on an address of this machine and passes every
 * connection on to the server's port. Never loses anything unless told to.
 */
public final class Relay implements AutoCloseable {

    private static final int BUFFER_BYTES = 16_384;
    private static final int BACKLOG = 200;

    private final int targetPort;
    private final ServerSocket listening;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    /** One connection of a client and the matching connection to the server. */
    private static final class Link {
        final Socket client;
        final Socket server = new Socket();
        volatile boolean vanished;

        Link(Socket client) {
            this.client = client;
        }
    }

    /** Listens on a free port of the loopback address. */
    public Relay(int targetPort) throws IOException {
        this(targetPort, InetAddress.getLoopbackAddress(), 0);
    }

    public Relay(int targetPort, InetAddress address, int port) throws IOException {
        this.targetPort = targetPort;
        this.listening = new ServerSocket(port, BACKLOG, address);
        Daemons.start("relay", this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** Connections that pass packets now. */
    public int open() {
        return (int) links.stream().filter(link -> !link.vanished).count();
    }

    /**
     * From now on the packets of all open connections vanish in both directions, including those that end a connection.
     * Connections opened later work.
     */
    public void vanish() {
        links.forEach(link -> link.vanished = true);
    }

    /** Ends all connections. New ones end at their first byte until {@link #restore}. */
    public void cut() {
        cut = true;
        links.forEach(this::end);
    }

    public void restore() {
        cut = false;
    }

    /** Accepts no new connections. Leaves open connections as they are. */
    public void refuse() throws IOException {
        listening.close();
    }

    /** Resets half of the connections that pass packets, and returns their number. */
    public int resetHalf() {
        List<Link> open =
                new ArrayList<>(links.stream().filter(link -> !link.vanished).toList());
        int count = open.size() / 2;
        open.subList(0, count).forEach(this::reset);
        return count;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Link link = new Link(listening.accept());
                links.add(link);
                Daemons.start("relay", () -> join(link));
            } catch (IOException e) {
                // The relay is closed, or the client has closed the connection before it was accepted.
            }
        }
    }

    private void join(Link link) {
        try {
            link.server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort));
            link.client.setTcpNoDelay(true);
            link.server.setTcpNoDelay(true);
        } catch (IOException e) {
            reset(link);
            return;
        }
        Daemons.start("relay", () -> pass(link, link.server, link.client));
        pass(link, link.client, link.server);
    }

    private void pass(Link link, Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            for (int read = from.getInputStream().read(buffer);
                    read >= 0 && !cut;
                    read = from.getInputStream().read(buffer)) {
                if (!link.vanished) {
                    to.getOutputStream().write(buffer, 0, read);
                }
            }
        } catch (IOException e) {
            // The connection has ended.
        }
        // The end of a connection is a packet too.
        if (!link.vanished) {
            end(link);
        }
    }

    private void reset(Link link) {
        try {
            link.client.setSoLinger(true, 0);
        } catch (IOException e) {
            // The socket is already closed.
        }
        end(link);
    }

    private void end(Link link) {
        links.remove(link);
        closeQuietly(link.client);
        closeQuietly(link.server);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is closed even so.
        }
    }

    /** Resets all connections and refuses new ones. */
    @Override
    public void close() throws IOException {
        listening.close();
        links.forEach(this::reset);
    }
}
