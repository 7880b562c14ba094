package dev.reservoir.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;

/**
 * A relay in front of a server on this machine that a test or a benchmark can make misbehave, separately for open
 * connections and for new ones. Data that it holds back while it drops packets is delivered when it relays again, as a
 * network would do.
 */
public final class FaultyProxy implements AutoCloseable {

    /** How connections are treated. */
    public enum Mode {
        /** Relays as a good network does. */
        PASS,
        /** Delivers nothing, and reports no error. */
        SWALLOW,
        /** For new connections: refuses PostgreSQL's request for encryption, and then sends nothing more. */
        FALL_SILENT,
        /** Resets at once. */
        REFUSE
    }

    /** The number that a request for encryption has in place of a protocol version. */
    private static final int ENCRYPTION_REQUEST = 80877103;

    private static final int BACKLOG = 500;

    private final int targetPort;
    private final ServerSocket listener;
    private final List<Long> acceptedNanos = new CopyOnWriteArrayList<>();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    /**
     * Held for reading during a delivery, and for writing while a mode changes. So nothing is delivered by the old mode
     * after a change, and connections do not wait for each other.
     */
    private final ReadWriteLock deliveries = new ReentrantReadWriteLock();

    // Guarded by this, as all modes are.
    private Mode forOpen = Mode.PASS;
    private Mode forNew = Mode.PASS;
    private volatile int mostAtOnce;

    private FaultyProxy(int targetPort, ServerSocket listener) {
        this.targetPort = targetPort;
        this.listener = listener;
    }

    /** Starts to relay to this port. Listens on a free port of the loopback address. */
    public static FaultyProxy to(int targetPort) {
        return to(targetPort, InetAddress.getLoopbackAddress(), 0);
    }

    /** Starts to relay to this port. Listens on a port of another address of this machine. */
    public static FaultyProxy to(int targetPort, InetAddress address, int port) {
        try {
            FaultyProxy proxy = new FaultyProxy(targetPort, new ServerSocket(port, BACKLOG, address));
            thread("faulty-proxy-accept", proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port that it listens on. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Returns a URL of the same database through this proxy. */
    public String url(String direct) {
        return direct.replaceFirst("//[^/]+/", "//127.0.0.1:" + port() + "/");
    }

    /** From now on, treats all connections this way. */
    public void all(Mode mode) {
        change(() -> {
            forOpen = mode;
            forNew = mode;
        });
        if (mode == Mode.REFUSE) {
            links.forEach(Link::reset);
        }
    }

    /** From now on, treats new connections this way, and leaves open ones alone. */
    public void comers(Mode mode) {
        change(() -> forNew = mode);
    }

    /**
     * Loses all data of connections that are open now, sent before or after, until {@link #findLost}. Leaves other
     * connections alone.
     */
    public void loseOpen() {
        change(() -> links.forEach(link -> link.lost = true));
    }

    /** Delivers the data of lost connections, and closes those that were closed meanwhile. */
    public void findLost() {
        change(() -> links.forEach(link -> link.lost = false));
    }

    private void change(Runnable what) {
        deliveries.writeLock().lock();
        try {
            synchronized (this) {
                what.run();
                notifyAll();
            }
        } finally {
            deliveries.writeLock().unlock();
        }
    }

    /** Ends all connections that are open now, as their two ends would. Relays new ones as before. */
    public void endOpen() {
        links.forEach(Link::end);
    }

    /** Resets half of the connections that are open and not lost. Returns their number. */
    public synchronized int resetHalf() {
        List<Link> relaying = links.stream().filter(link -> !link.lost).toList();
        List<Link> half = relaying.subList(0, relaying.size() / 2);
        half.forEach(Link::reset);
        return half.size();
    }

    /** Returns the number of connections that are open and not lost. */
    public synchronized int open() {
        return (int) links.stream().filter(link -> !link.lost).count();
    }

    /** Returns when connections arrived, in order, refused ones included, by {@link System#nanoTime}. */
    public List<Long> acceptedNanos() {
        return List.copyOf(acceptedNanos);
    }

    /** Returns the maximum number of connections at one time. */
    public int mostAtOnce() {
        return mostAtOnce;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Link link = new Link(listener.accept());
                acceptedNanos.add(System.nanoTime());
                links.add(link);
                mostAtOnce = Math.max(mostAtOnce, links.size());
                thread("faulty-proxy-up", link::begin);
                if (listener.isClosed()) {
                    link.reset();
                }
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new IllegalStateException("the proxy cannot accept connections", e);
                }
            }
        }
    }

    private static void thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Resets all connections and refuses new ones. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        all(Mode.REFUSE);
    }

    /** Blocks while this holds. It may change when a mode or a link changes. */
    private synchronized void awaitNot(BooleanSupplier holds) {
        try {
            while (holds.getAsBoolean()) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("bug: nothing interrupts the threads of the proxy", e);
        }
    }

    /** One connection and its continuation to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server = new Socket();
        private volatile boolean over;

        /** Guarded by the proxy. */
        private boolean lost;

        Link(Socket client) {
            this.client = client;
        }

        /** Waits until it may relay, connects to the server, and relays. */
        void begin() {
            try {
                if (forNew() == Mode.FALL_SILENT) {
                    fallSilent();
                } else if (mayJoin()) {
                    client.setTcpNoDelay(true);
                    server.setTcpNoDelay(true);
                    server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort));
                    thread("faulty-proxy-down", () -> relay(server, client));
                    relay(client, server);
                    return;
                }
            } catch (IOException e) {
                // The server is unavailable. The reset tells the client.
            }
            reset();
        }

        private Mode forNew() {
            synchronized (FaultyProxy.this) {
                return forNew;
            }
        }

        /** Returns when new connections are treated in another way. */
        private void fallSilent() throws IOException {
            DataInputStream in = new DataInputStream(client.getInputStream());
            int length = in.readInt();
            if (length == 8 && in.readInt() == ENCRYPTION_REQUEST) {
                client.getOutputStream().write('N');
            }
            awaitNot(() -> forNew == Mode.FALL_SILENT && !over);
        }

        private boolean mayJoin() {
            synchronized (FaultyProxy.this) {
                awaitNot(() -> forNew == Mode.SWALLOW && !over);
                return forNew == Mode.PASS && !over;
            }
        }

        private void relay(Socket from, Socket to) {
            byte[] buffer = new byte[16 * 1024];
            try {
                InputStream in = from.getInputStream();
                int length;
                do {
                    length = in.read(buffer);
                } while (deliver(to, buffer, length));
            } catch (IOException e) {
                // One side has disconnected. The code below closes the other side.
            }
            if (awaitPassing()) {
                end();
            }
        }

        /**
         * Delivers the data that was read, as soon as the mode allows it. Returns false at the end of the stream or of
         * the link.
         */
        private boolean deliver(Socket to, byte[] buffer, int length) throws IOException {
            while (length >= 0 && awaitPassing()) {
                deliveries.readLock().lock();
                try {
                    if (isPassing()) {
                        to.getOutputStream().write(buffer, 0, length);
                        return true;
                    }
                } finally {
                    deliveries.readLock().unlock();
                }
            }
            return false;
        }

        private boolean isPassing() {
            synchronized (FaultyProxy.this) {
                return forOpen == Mode.PASS && !lost && !over;
            }
        }

        private boolean awaitPassing() {
            synchronized (FaultyProxy.this) {
                awaitNot(() -> (forOpen == Mode.SWALLOW || lost) && !over);
                return forOpen == Mode.PASS && !over;
            }
        }

        /** Ends the connection at once, with a reset. */
        void reset() {
            try {
                client.setSoLinger(true, 0);
            } catch (SocketException e) {
                // It has ended already.
            }
            end();
        }

        /** Ends the connection as its two ends would. */
        void end() {
            over = true;
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
            synchronized (FaultyProxy.this) {
                FaultyProxy.this.notifyAll();
            }
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed in any case.
        }
    }
}
