package dev.reservoir.dynamodb.processes;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.spi.Connector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * Opens TCP connections to the {@link RationedServer}. Each is open only once the server has said so and closed only
 * once the server has said so, so that what the server counts is never more than what this process has leases for.
 */
final class ServerConnector implements Connector<Socket> {
    private static final int ANSWER_MILLIS = 20_000;

    private final String process;
    private final InetSocketAddress server;
    private final StampedPermits permits;
    private final Executor threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "connector");
        thread.setDaemon(true);
        return thread;
    });

    ServerConnector(String process, int port, StampedPermits permits) {
        this.process = process;
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.permits = permits;
    }

    static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    @Override
    public CompletionStage<Socket> open(long timeoutNanos) {
        StampedPermits.Stamp stamp = permits.use();
        if (stamp == null) {
            return CompletableFuture.failedFuture(new IllegalStateException("bug: a connect without a permit"));
        }
        String greeting = new Greeting(process, stamp.atMicros(), stamp.alone()).line();
        return CompletableFuture.supplyAsync(() -> connect(greeting), threads);
    }

    private Socket connect(String greeting) {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.connect(server, ANSWER_MILLIS);
            socket.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
            if (socket.getInputStream().read() < 0) {
                throw new IOException("the server has closed the connection");
            }
            return socket;
        } catch (IOException e) {
            end(socket);
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the server answers on this connection. Blocks. */
    static boolean answers(Socket socket) {
        try {
            socket.getOutputStream().write('?');
            return socket.getInputStream().read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public CompletionStage<Boolean> validate(Socket connection, long timeoutNanos) {
        return CompletableFuture.supplyAsync(() -> answers(connection), threads);
    }

    @Override
    public CompletionStage<Void> close(Socket connection, DiscardReason reason) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        connection.shutdownOutput();
                        while (connection.getInputStream().read() >= 0) {
                            // Whatever was still on its way. The end comes when the server has taken note.
                        }
                    } catch (IOException e) {
                        // Then it is closed as well.
                    }
                    end(connection);
                },
                threads);
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Closed all the same.
        }
    }
}
