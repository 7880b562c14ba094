package dev.reservoir.jdbc;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Speaks as much of MySQL's protocol as a refused login needs: a greeting, any answer of the client, and an error.
 * Serves one client after the other until it is closed.
 */
public final class RefusingMySql implements AutoCloseable {
    /** LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH. */
    private static final int CAPABILITIES = 0x0008_A209;

    private final ServerSocket server;
    private final boolean greets;
    private final byte[] refusal;

    /**
     * Starts to listen.
     *
     * @param state the SQLState, or null for a server that refuses before its greeting, when errors have no state
     */
    public RefusingMySql(int code, String state, String message) throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        greets = state != null;
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        error.write(0xFF);
        error.write(code);
        error.write(code >> 8);
        error.writeBytes(((greets ? "#" + state : "") + message).getBytes(StandardCharsets.UTF_8));
        refusal = error.toByteArray();
        Thread thread = new Thread(this::serve, "refusing-mysql");
        thread.setDaemon(true);
        thread.start();
    }

    public String url(String kind, String database) {
        return "jdbc:" + kind + "://127.0.0.1:" + server.getLocalPort() + "/" + database;
    }

    private void serve() {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                refuse(client);
            } catch (IOException gone) {
                // The client has disconnected, or the server was closed, which ends the loop.
            }
        }
    }

    private void refuse(Socket client) throws IOException {
        if (!greets) {
            send(client, 0, refusal);
            return;
        }
        send(client, 0, greeting());
        DataInputStream in = new DataInputStream(client.getInputStream());
        int length = in.readUnsignedByte() | in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16;
        int number = in.readUnsignedByte();
        in.readFully(new byte[length]);
        send(client, number + 1, refusal);
        // Waits until the client has read the answer and disconnects. An earlier close could discard the answer.
        client.setSoTimeout(5_000);
        while (in.read() >= 0) {
            // Ignores the data.
        }
    }

    private static byte[] greeting() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(10);
        out.writeBytes("8.0.36\0".getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(new byte[] {7, 0, 0, 0});
        out.writeBytes("12345678\0".getBytes(StandardCharsets.US_ASCII));
        out.write(CAPABILITIES);
        out.write(CAPABILITIES >> 8);
        out.write(45);
        out.writeBytes(new byte[] {2, 0});
        out.write(CAPABILITIES >> 16);
        out.write(CAPABILITIES >> 24);
        out.write(21);
        out.writeBytes(new byte[10]);
        out.writeBytes("123456789012\0".getBytes(StandardCharsets.US_ASCII));
        out.writeBytes("mysql_native_password\0".getBytes(StandardCharsets.US_ASCII));
        return out.toByteArray();
    }

    private static void send(Socket client, int number, byte[] payload) throws IOException {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(payload.length);
        packet.write(payload.length >> 8);
        packet.write(payload.length >> 16);
        packet.write(number);
        packet.writeBytes(payload);
        client.getOutputStream().write(packet.toByteArray());
        client.getOutputStream().flush();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
