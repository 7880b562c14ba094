package dev.reservoir.jdbc.faults;

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
final class FaultyProxy implements AutoCloseable {

    /** How connections are treated. */
    enum Mode {
        /** As a good network. */
        PASS,
        /** Nothing arrives and nothing is said about it. */
        SWALLOW,
        /** For those that come: PostgreSQL's request for encryption is denied, and that was the last word. */
        FALL_SILENT,
        /** Reset at once. */
        REFUSE
    }

    /** What stands in the place of a protocol version in a request for encryption. */
    private static final int ENCRYPTION_REQUEST = 80877103;

    private final int targetPort;
    private final ServerSocket listener;
    private final List<Long> acceptedNanos = new CopyOnWriteArrayList<>();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    /** Guards the modes, and every delivery: after a mode has changed, nothing more is delivered as before. */
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
    static FaultyProxy to(int targetPort) throws IOException {
        ServerSocket listener = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        FaultyProxy proxy = new FaultyProxy(targetPort, listener);
        thread("faulty-proxy-accept", proxy::accept);
        return proxy;
    }

    /** The same database as this URL's, through here. */
    String url(String direct) {
        return direct.replaceFirst("//[^/]+/", "//127.0.0.1:" + listener.getLocalPort() + "/");
    }

    /** From now on treats all connections so. */
    void all(Mode mode) {
        set(mode, mode);
    }

    /** From now on treats those that come so, and leaves those that are open alone. */
    void comers(Mode mode) {
        lock.lock();
        try {
            set(forOpen, mode);
        } finally {
            lock.unlock();
        }
    }

    /** Nothing that was sent or is sent over connections that are open now arrives, until they are found. Others are left alone. */
    void loseOpen() {
        setLost(true);
    }

    /** Delivers what was sent over connections that were lost, their ends included. */
    void findLost() {
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

    /** When connections came, in order, refused ones included; by {@link System#nanoTime}. */
    List<Long> acceptedNanos() {
        return List.copyOf(acceptedNanos);
    }

    /** The most connections there were at once. */
    int mostAtOnce() {
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

        /** Waits until it may pass, connects onward, and relays. */
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
                // The server is away: its client learns of that by the reset.
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

        /** Returns when others that come are treated otherwise. */
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
                // One side has gone; the other is told below.
            }
            if (awaitPassing()) {
                end();
            }
        }

        /** Delivers what was read, once that may be. False at the end of the stream or of the link. */
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

        /** Ends it as its ends would. */
        private void end() {
            over = true;
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }

        /** Ends it at once, with a reset. */
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
            // Closed is closed.
        }
    }
}
