package dev.reservoir.dynamodb.store;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A server that speaks enough HTTP to pretend to be a DynamoDB in trouble: it answers each request as the script says,
 * the last line of which is repeated. It exists because DynamoDB Local is never in trouble.
 */
final class FakeDynamo implements AutoCloseable {
    private final ServerSocket server;
    private final Deque<Play> script = new ArrayDeque<>();
    private final List<Request> requests = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();

    FakeDynamo() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    /** What was asked. */
    record Request(String action, Map<String, String> headers, String body) {}

    @FunctionalInterface
    private interface Play {
        void perform(OutputStream out, Socket socket) throws IOException;
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
    }

    DynamoClient client() {
        return DynamoClient.shared(null, endpoint());
    }

    synchronized List<Request> requests() {
        return List.copyOf(requests);
    }

    /** Answers with this body. */
    FakeDynamo answers(int status, String body, String... headers) {
        StringBuilder head =
                new StringBuilder("HTTP/1.1 " + status + " Said\r\nContent-Type: application/x-amz-json-1.0\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        head.append("Content-Length: ").append(bytes.length).append("\r\n\r\n");
        return next((out, socket) -> {
            out.write(head.toString().getBytes(StandardCharsets.US_ASCII));
            out.write(bytes);
            out.flush();
        });
    }

    /** Answers with an error as DynamoDB words it. */
    FakeDynamo fails(int status, String code, String message, String... headers) {
        return answers(status, error(code, message, ""), headers);
    }

    /** Cancels a transaction for these reasons. */
    FakeDynamo cancels(String... codes) {
        List<String> reasons = new ArrayList<>();
        for (String code : codes) {
            String message = code.equals("None") ? "" : ",\"Message\":\"because of " + code + "\"";
            reasons.add("{\"Code\":\"" + code + "\"" + message + "}");
        }
        String more = ",\"CancellationReasons\":[" + String.join(",", reasons) + "]";
        return answers(400, error("TransactionCanceledException", "Transaction cancelled", more), "Date: " + DATE);
    }

    /** Never answers. */
    FakeDynamo hangs() {
        return next((out, socket) -> {});
    }

    /** Ends the connection without an answer. */
    FakeDynamo hangsUp() {
        return next((out, socket) -> socket.close());
    }

    static final String DATE = "Mon, 16 Nov 2026 03:32:21 GMT";
    static final long DATE_SECONDS = 1_794_799_941L;

    private static String error(String code, String message, String more) {
        return "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" + code + "\",\"message\":\"" + message + "\"" + more
                + "}";
    }

    private synchronized FakeDynamo next(Play play) {
        script.add(play);
        return this;
    }

    private synchronized Play play(Request request) {
        requests.add(request);
        return script.size() > 1 ? script.remove() : script.element();
    }

    private void accept() {
        try {
            while (!server.isClosed()) {
                Socket socket = server.accept();
                synchronized (this) {
                    sockets.add(socket);
                }
                daemon(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The end of it.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (!socket.isClosed()) {
                Request request = read(in);
                if (request == null) {
                    return;
                }
                play(request).perform(socket.getOutputStream(), socket);
            }
        } catch (IOException closed) {
            // The other side has had enough.
        }
    }

    private static Request read(InputStream in) throws IOException {
        String line = line(in);
        if (line.isEmpty()) {
            return null;
        }
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        String target = headers.getOrDefault("x-amz-target", "");
        return new Request(target.substring(target.indexOf('.') + 1), headers, body);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "fake-dynamo");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
            synchronized (this) {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
