package dev.reservoir.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A relay in front of a server on this machine that a test can make misbehave, separately for open connections and for
 * new ones. Data that it holds back while it drops packets is delivered when it relays again, as a network would do.
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

    private final int targetPort;
    private final ServerSocket listener;
    private final List<Long> acceptedNanos = new CopyOnWriteArrayList<>();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    /** Guards the modes and every delivery. After a mode has changed, nothing is delivered by the old mode. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private Mode forOpen = Mode.PASS;
    private Mode forNew = Mode.PASS;
    private volatile boolean closed;
    private volatile int mostAtOnce;

    private FaultyProxy(int targetPort, ServerSocket listener) {
        this.targetPort = targetPort;
        this.listener = listener;
    }

    /** Starts to relay to this port. */
    public static FaultyProxy to(int targetPort) throws IOException {
        ServerSocket listener = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        FaultyProxy proxy = new FaultyProxy(targetPort, listener);
        thread("faulty-proxy-accept", proxy::accept);
        return proxy;
    }

    /** The port that it listens on, at the loopback address. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Returns a URL of the same database through this proxy. */
    public String url(String direct) {
        return direct.replaceFirst("//[^/]+/", "//127.0.0.1:" + port() + "/");
    }

    /** From now on, treats all connections this way. */
    public void all(Mode mode) {
        set(mode, mode);
    }

    /** From now on, treats new connections this way, and leaves open ones alone. */
    public void comers(Mode mode) {
        lock.lock();
        try {
            set(forOpen, mode);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Loses all data of connections that are open now, sent before or after, until {@link #findLost}. Leaves other
     * connections alone.
     */
    public void loseOpen() {
        setLost(true);
    }

    /** Delivers the data of lost connections, and closes those that were closed meanwhile. */
    public void findLost() {
        setLost(false);
    }

    private void setLost(boolean lost) {
        lock.lock();
        try {
            links.forEach(link -> link.lost = lost);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void set(Mode open, Mode comers) {
        lock.lock();
        try {
            forOpen = open;
            forNew = comers;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (open == Mode.REFUSE) {
            links.forEach(Link::reset);
        }
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
        while (!closed) {
            try {
                Socket client = listener.accept();
                acceptedNanos.add(System.nanoTime());
                Link link = new Link(client);
                links.add(link);
                mostAtOnce = Math.max(mostAtOnce, links.size());
                thread("faulty-proxy-up", link::begin);
                if (closed) {
                    link.reset();
                }
            } catch (IOException e) {
                if (!closed) {
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

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        all(Mode.REFUSE);
    }

    /** One connection and its continuation to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server = new Socket();
        private volatile boolean over;

        /** Guarded by the lock. */
        private boolean lost;

        Link(Socket client) {
            this.client = client;
        }

        /** Waits until it may relay, connects to the server, and relays. */
        void begin() {
            try {
                if (mode() == Mode.FALL_SILENT) {
                    fallSilent();
                } else if (mayJoin()) {
                    client.setTcpNoDelay(true);
                    server.setTcpNoDelay(true);
                    server.connect(new java.net.InetSocketAddress("localhost", targetPort));
                    thread("faulty-proxy-down", () -> relay(server, client));
                    relay(client, server);
                    return;
                }
            } catch (IOException e) {
                // The server is unavailable. The reset tells the client.
            }
            reset();
        }

        private Mode mode() {
            lock.lock();
            try {
                return forNew;
            } finally {
                lock.unlock();
            }
        }

        /** Returns when new connections are treated in another way. */
        private void fallSilent() throws IOException {
            DataInputStream in = new DataInputStream(client.getInputStream());
            int length = in.readInt();
            if (length == 8 && in.readInt() == ENCRYPTION_REQUEST) {
                client.getOutputStream().write('N');
            }
            lock.lock();
            try {
                while (forNew == Mode.FALL_SILENT && !over) {
                    changed.awaitUninterruptibly();
                }
            } finally {
                lock.unlock();
            }
        }

        private boolean mayJoin() {
            lock.lock();
            try {
                while (forNew == Mode.SWALLOW && !over) {
                    changed.awaitUninterruptibly();
                }
                return forNew == Mode.PASS && !over;
            } finally {
                lock.unlock();
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
            if (length < 0) {
                return false;
            }
            lock.lock();
            try {
                if (!awaitPassing()) {
                    return false;
                }
                to.getOutputStream().write(buffer, 0, length);
                return true;
            } finally {
                lock.unlock();
            }
        }

        private boolean awaitPassing() {
            lock.lock();
            try {
                while ((forOpen == Mode.SWALLOW || lost) && !over) {
                    changed.awaitUninterruptibly();
                }
                return forOpen == Mode.PASS && !over;
            } finally {
                lock.unlock();
            }
        }

        /** Ends the connection as its two ends would. */
        private void end() {
            over = true;
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }

        /** Ends the connection at once, with a reset. */
        void reset() {
            try {
                client.setSoLinger(true, 0);
            } catch (SocketException e) {
                // It has ended already.
            }
            end();
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
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
