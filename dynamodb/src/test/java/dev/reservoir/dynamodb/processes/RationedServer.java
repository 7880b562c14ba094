package dev.reservoir.dynamodb.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the database: accepts connections, echoes what it is sent, and writes everything into a
 * {@link ConnectRecord}. Refuses nothing: what is too much is for the test to judge. One thread.
 */
final class RationedServer implements AutoCloseable {
    private static final ByteBuffer WELCOME = ByteBuffer.wrap(new byte[] {'k'}).asReadOnlyBuffer();

    private final ConnectRecord connects;
    private final Selector selector;
    private final ServerSocketChannel listening;
    private final Thread thread = new Thread(this::run, "rationed-server");

    RationedServer(ConnectRecord connects) {
        this.connects = connects;
        try {
            selector = Selector.open();
            listening = ServerSocketChannel.open();
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 500);
            listening.configureBlocking(false);
            listening.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listening.socket().getLocalPort();
    }

    private void run() {
        try {
            while (selector.isOpen()) {
                selector.select(this::serve);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(SelectionKey key) {
        if (key.attachment() instanceof Guest guest) {
            try {
                guest.read();
            } catch (IOException e) {
                guest.gone();
            }
            return;
        }
        try {
            SocketChannel channel = listening.accept();
            if (channel != null) {
                Guest guest = new Guest(channel, ServerConnector.nowMicros());
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ, guest);
            }
        } catch (IOException e) {
            // It has gone away before it came in.
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            selector.close();
            thread.join(5_000);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One connection. */
    private final class Guest {
        private final SocketChannel channel;
        private final long atMicros;
        private final StringBuilder line = new StringBuilder();
        private final ByteBuffer buffer = ByteBuffer.allocate(256);
        private @Nullable String process;

        Guest(SocketChannel channel, long atMicros) {
            this.channel = channel;
            this.atMicros = atMicros;
        }

        void read() throws IOException {
            buffer.clear();
            if (channel.read(buffer) < 0) {
                gone();
                return;
            }
            buffer.flip();
            if (process != null) {
                channel.write(buffer);
                return;
            }
            line.append(StandardCharsets.US_ASCII.decode(buffer));
            if (line.charAt(line.length() - 1) == '\n') {
                Greeting greeting = Greeting.of(line.toString());
                process = greeting.process();
                connects.opened(new Arrival(atMicros, greeting));
                channel.write(WELCOME.duplicate());
            }
        }

        /** The connects knows before the process does. */
        void gone() {
            if (process != null) {
                connects.closed(process);
                process = null;
            }
            try {
                channel.close();
            } catch (IOException e) {
                // Closed all the same.
            }
        }
    }
}
