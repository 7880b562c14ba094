package dev.reservoir.jdbc.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A program that relays from a port to a server's socket in the file system, which is reachable from every network
 * namespace.
 */
final class NamespaceRelay {
    /** The text that it prints when it accepts connections. */
    static final String READY = "ready";

    private NamespaceRelay() {}

    /** Runs until it is killed. Arguments: address, port, path of the socket. */
    public static void main(String[] arguments) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])));
        System.out.println(READY);
        while (true) {
            SocketChannel client = listener.accept();
            SocketChannel server = SocketChannel.open(StandardProtocolFamily.UNIX);
            server.connect(UnixDomainSocketAddress.of(Path.of(arguments[2])));
            start(client, server);
            start(server, client);
        }
    }

    private static void start(ByteChannel from, ByteChannel to) {
        Thread thread = new Thread(() -> relay(from, to), "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private static void relay(ByteChannel from, ByteChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(16 * 1024);
        try (from;
                to) {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
        } catch (IOException e) {
            // One side has disconnected, and now the other is closed as well.
        }
    }
}
