package dev.reservoir.remote.testserver;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Speaks as much of SQL Server's protocol (TDS 7.4) as the driver needs: pre-login without encryption, login, batches
 * that return one number, errors by number, and cancels. The driver obfuscates the password, so the name of the user
 * decides about the login: {@code wrong} is refused.
 */
public final class FakeTdsServer implements AutoCloseable {
    private static final int BATCH = 1;
    private static final int RPC = 3;
    private static final int ATTENTION = 6;
    private static final int LOGIN = 16;
    private static final int PRELOGIN = 18;
    private static final int RESET_BIT = 0x08;
    private static final int END_OF_MESSAGE = 0x01;

    /** A request: its text, and whether it asked for a reset of the session before. */
    public record Request(String sql, boolean resets) {}

    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** All batches, in the order of their arrival. */
    public final List<Request> requests = new CopyOnWriteArrayList<>();

    public FakeTdsServer() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept, "fake-tds");
    }

    private static void start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    public int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                sockets.add(socket);
                start(() -> serve(socket), "fake-tds-connection");
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                ByteArrayOutputStream message = new ByteArrayOutputStream();
                int type;
                int firstStatus = -1;
                int status;
                do {
                    type = in.readUnsignedByte();
                    status = in.readUnsignedByte();
                    firstStatus = firstStatus < 0 ? status : firstStatus;
                    int length = in.readUnsignedShort();
                    in.skipNBytes(4);
                    message.write(in.readNBytes(length - 8));
                } while ((status & END_OF_MESSAGE) == 0);
                if (type == ATTENTION) {
                    // The end of the cancelled batch. The answer to the attention itself follows.
                    send(socket, done(0));
                }
                byte[] answer = answer(type, (firstStatus & RESET_BIT) != 0, message.toByteArray());
                if (answer.length > 0) {
                    send(socket, answer);
                }
            }
        } catch (IOException e) {
            // The client or the test has closed the connection.
            return;
        } finally {
            sockets.remove(socket);
        }
    }

    private static void send(Socket socket, byte[] body) throws IOException {
        ByteBuffer packet = ByteBuffer.allocate(body.length + 8);
        packet.put((byte) 4).put((byte) END_OF_MESSAGE).putShort((short) packet.capacity());
        packet.putShort((short) 51).put((byte) 1).put((byte) 0).put(body);
        socket.getOutputStream().write(packet.array());
    }

    private byte[] answer(int type, boolean resets, byte[] message) {
        return switch (type) {
            case PRELOGIN -> preLogin();
            case LOGIN -> login(message);
            case BATCH -> batch(batchText(message), resets);
            case ATTENTION -> done(0x20);
            case RPC -> batch("rpc", resets);
            default -> done(0);
        };
    }

    /** Two options: version, and encryption (2: not supported). */
    private static byte[] preLogin() {
        return new byte[] {0, 0, 11, 0, 6, 1, 0, 17, 0, 1, (byte) 0xff, 16, 0, 0, 0, 0, 0, 2};
    }

    private static byte[] login(byte[] message) {
        ByteBuffer login = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        int offset = login.getShort(40);
        int length = login.getShort(42);
        String user = new String(message, offset, length * 2, StandardCharsets.UTF_16LE);
        if (user.equals("wrong")) {
            return error(18456, 14, "Login failed for user 'wrong'.");
        }
        ByteBuffer out = buffer();
        byte[] name = "Fake SQL Server".getBytes(StandardCharsets.UTF_16LE);
        out.put((byte) 0xad).putShort((short) (10 + name.length)).put((byte) 1);
        out.order(ByteOrder.BIG_ENDIAN).putInt(0x74000004).order(ByteOrder.LITTLE_ENDIAN);
        out.put((byte) (name.length / 2)).put(name).putInt(16);
        return concat(bytes(out), done(0));
    }

    private static String batchText(byte[] message) {
        int headers = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getInt();
        return new String(message, headers, message.length - headers, StandardCharsets.UTF_16LE);
    }

    private byte[] batch(String sql, boolean resets) {
        requests.add(new Request(sql, resets));
        if (sql.startsWith("WAIT")) {
            // The client cancels it by an attention.
            return new byte[0];
        }
        if (sql.startsWith("ERROR ")) {
            return error(Integer.parseInt(sql.substring(6)), 16, "An error that the test asked for.");
        }
        return sql.startsWith("SELECT") ? number(1) : done(0);
    }

    private static byte[] error(int number, int severity, String text) {
        byte[] words = text.getBytes(StandardCharsets.UTF_16LE);
        ByteBuffer out = buffer();
        out.put((byte) 0xaa)
                .putShort((short) (14 + words.length))
                .putInt(number)
                .put((byte) 1)
                .put((byte) severity);
        out.putShort((short) (words.length / 2))
                .put(words)
                .put((byte) 0)
                .put((byte) 0)
                .putInt(1);
        return concat(bytes(out), done(0x02));
    }

    /** One row with one column, an integer that is never null. */
    private static byte[] number(int value) {
        ByteBuffer out = buffer();
        out.put((byte) 0x81)
                .putShort((short) 1)
                .putInt(0)
                .putShort((short) 0)
                .put((byte) 0x38)
                .put((byte) 0);
        out.put((byte) 0xd1).putInt(value);
        return concat(bytes(out), done(0x10));
    }

    private static byte[] done(int status) {
        ByteBuffer out = buffer();
        out.put((byte) 0xfd).putShort((short) status).putShort((short) 0).putLong(status == 0x10 ? 1 : 0);
        return bytes(out);
    }

    private static ByteBuffer buffer() {
        return ByteBuffer.allocate(1_024).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.position()];
        buffer.flip().get(bytes);
        return bytes;
    }

    private static byte[] concat(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    /** Breaks all connections. */
    public void disconnectAll() {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        disconnectAll();
    }
}
