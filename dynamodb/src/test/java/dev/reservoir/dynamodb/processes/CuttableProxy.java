package dev.reservoir.dynamodb.processes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The way of one process to the store. Cut, it resets every connection at once. Hung, it takes whatever it is sent and
 * passes nothing on; what it has taken arrives when it is restored, long after the sender has given it up, as after a
 * real pause of the network.
 */
final class CuttableProxy implements AutoCloseable {
    private final InetSocketAddress store;
    private final ServerSocket listening;
    private final Object lock = new Object();

    // Guarded by the lock.
    private State state = State.OPEN;
    private final Set<Socket> sockets = new HashSet<>();

    private enum State {
        OPEN,
        HUNG,
        CUT
    }

    CuttableProxy(URI store) {
        this.store = new InetSocketAddress(store.getHost(), store.getPort());
        try {
            listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    /** Resets all connections, and every new one. The port stays taken, so that nobody else gets it. */
    void cut() {
        List<Socket> all;
        synchronized (lock) {
            state = State.CUT;
            lock.notifyAll();
            all = new ArrayList<>(sockets);
            sockets.clear();
        }
        all.forEach(CuttableProxy::reset);
    }

    void hang() {
        set(State.HUNG);
    }

    void restore() {
        set(State.OPEN);
    }

    private void set(State value) {
        synchronized (lock) {
            state = value;
            lock.notifyAll();
        }
    }

    @Override
    public void close() {
        cut();
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket process = listening.accept();
                if (register(process)) {
                    daemon(() -> relay(process));
                }
            } catch (IOException e) {
                // Closed, or it has gone away before it came in.
            }
        }
    }

    private void relay(Socket process) {
        try {
            awaitPassage();
            Socket onward = new Socket();
            if (register(onward)) {
                onward.connect(store);
                onward.setTcpNoDelay(true);
                process.setTcpNoDelay(true);
                daemon(() -> pump(onward, process));
                pump(process, onward);
            } else {
                reset(process);
            }
        } catch (IOException e) {
            forget(process);
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[16_384];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int n;
            while ((n = in.read(buffer)) >= 0) {
                awaitPassage();
                out.write(buffer, 0, n);
            }
            awaitPassage();
        } catch (IOException e) {
            // Then it is over as well.
        }
        forget(from);
        forget(to);
    }

    private boolean register(Socket socket) {
        synchronized (lock) {
            if (state != State.CUT) {
                return sockets.add(socket);
            }
        }
        reset(socket);
        return false;
    }

    private void awaitPassage() throws IOException {
        synchronized (lock) {
            while (state == State.HUNG) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    throw new IOException("interrupted", e);
                }
            }
            if (state == State.CUT) {
                throw new IOException("cut");
            }
        }
    }

    private void forget(Socket socket) {
        synchronized (lock) {
            sockets.remove(socket);
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Closed all the same.
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // Closed already.
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Closed all the same.
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
