package dev.reservoir.flightsql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes TCP connections on to a server, and can cut them or keep their bytes back. */
final class TcpRelay implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile CountDownLatch open = new CountDownLatch(0);

    TcpRelay(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    String endpoint() {
        return "grpc://127.0.0.1:" + listener.getLocalPort();
    }

    int accepted() {
        return accepted.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                accepted.incrementAndGet();
                connect(client);
            }
        } catch (IOException e) {
            cutAll();
        }
    }

    /** A server that is away ends the client's connection, and the relay goes on. */
    private void connect(Socket client) throws IOException {
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(client);
            sockets.add(server);
            start(() -> pass(client, server));
            start(() -> pass(server, client));
        } catch (ConnectException e) {
            client.close();
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] bytes = new byte[16_384];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                open.await();
                out.write(bytes, 0, count);
            }
        } catch (IOException | InterruptedException e) {
            // The relay or one of the sides has ended this connection.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    /** Ends all connections. New ones are accepted. */
    void cutAll() {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is closed already.
            }
        }
    }

    /** Keeps all bytes back, as a network does that loses packets, until {@link #pass}. */
    void hold() {
        open = new CountDownLatch(1);
    }

    void pass() {
        open.countDown();
    }

    @Override
    public void close() {
        pass();
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cutAll();
    }
}
