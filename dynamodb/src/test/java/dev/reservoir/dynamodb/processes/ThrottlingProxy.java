package dev.reservoir.dynamodb.processes;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The way of all processes to the store, on which reads pass, and writes are refused while that is asked for, in the
 * ways in which DynamoDB says that they are too many. Knows as much of HTTP as that takes: a client sends a request
 * when the one before is answered, and says how long it is.
 */
final class ThrottlingProxy implements AutoCloseable {
    private static final Set<String> WRITES =
            Set.of("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem");
    private static final int HEAD_MAX = 64 * 1024;

    private final InetSocketAddress store;
    private final ServerSocket listening;
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean throttled;

    // Guarded by itself.
    private final Set<Socket> sockets = new HashSet<>();

    ThrottlingProxy(URI store) {
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

    /** Refuses every write from now on, or none. */
    void throttle(boolean writes) {
        throttled = writes;
    }

    /** How many writes were refused. */
    long refused() {
        return refused.get();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket process = listening.accept();
                daemon(() -> relay(process));
            } catch (IOException e) {
                // Closed, or it has gone away before it came in.
            }
        }
    }

    private void relay(Socket process) {
        try (process;
                Socket onward = new Socket()) {
            synchronized (sockets) {
                sockets.add(process);
                sockets.add(onward);
            }
            process.setTcpNoDelay(true);
            onward.setTcpNoDelay(true);
            onward.connect(store);
            daemon(() -> pump(onward, process));
            InputStream in = new BufferedInputStream(process.getInputStream());
            for (byte[] head = head(in); head.length > 0; head = head(in)) {
                byte[] body = in.readNBytes(Integer.parseInt(header(head, "content-length", "0")));
                String target = header(head, "x-amz-target", "");
                if (throttled && WRITES.contains(target.substring(target.lastIndexOf('.') + 1))) {
                    refuse(process.getOutputStream());
                } else {
                    OutputStream out = onward.getOutputStream();
                    out.write(head);
                    out.write(body);
                    out.flush();
                }
            }
        } catch (IOException e) {
            // One of the two has gone away.
        }
    }

    /** A request's first lines, up to the empty one; nothing if there is no further request. */
    private static byte[] head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int ending = 0;
        while (ending < 4) {
            int next = in.read();
            if (next < 0) {
                return new byte[0];
            }
            head.write(next);
            boolean goesOn = next == (ending % 2 == 0 ? '\r' : '\n');
            ending = goesOn ? ending + 1 : next == '\r' ? 1 : 0;
            if (head.size() > HEAD_MAX) {
                throw new IOException("no end of the request's head");
            }
        }
        return head.toByteArray();
    }

    private static String header(byte[] head, String name, String otherwise) {
        return new String(head, StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse(otherwise);
    }

    private void refuse(OutputStream out) throws IOException {
        boolean even = refused.incrementAndGet() % 2 == 0;
        String kind = even
                ? "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"
                : "com.amazon.coral.availability#ThrottlingException";
        String body = "{\"__type\":\"" + kind + "\",\"message\":\"Too many writes, as the test wants it.\"}";
        String head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: "
                + body.length() + "\r\n\r\n";
        out.write((head + body).getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private void pump(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // Then it is over as well.
        } finally {
            synchronized (sockets) {
                sockets.remove(from);
                sockets.remove(to);
            }
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            synchronized (sockets) {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "throttling-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
