package dev.reservoir.pgwire;

import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;

/** A client that says what it wants and nothing else. */
final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;

    RawClient(ExampleServer server) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), server.server.port());
        socket.setSoTimeout(30_000);
        in = new DataInputStream(socket.getInputStream());
    }

    void send(ByteBuf... messages) throws IOException {
        socket.getOutputStream().write(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(messages)));
    }

    /** Sends these bytes again and again until the server closes the connection. Returns how many were sent. */
    int sendUntilReset(byte[] bytes, int most) {
        int sent = 0;
        try {
            while (sent < most) {
                socket.getOutputStream().write(bytes);
                sent += bytes.length;
            }
        } catch (IOException e) {
            // The server has closed the connection.
        }
        return sent;
    }

    void login() throws IOException {
        send(ClientMessages.startup(Map.of("user", "ann")));
        Assertions.assertThat(untilReady()).doesNotContain("E");
    }

    /** The next byte, or -1 at the end. */
    int read() throws IOException {
        return in.read();
    }

    /** The salt that a server with passwords sends to this user. */
    String salt(String user) throws IOException {
        send(ClientMessages.startup(Map.of("user", user)));
        message();
        send(ClientMessages.saslInitial("SCRAM-SHA-256", "n,,n=,r=abc"));
        String answer = new String(message(), StandardCharsets.UTF_8);
        return answer.substring(answer.indexOf(",s=") + 3, answer.indexOf(",i="));
    }

    private byte[] message() throws IOException {
        in.readByte();
        return in.readNBytes(in.readInt() - 4);
    }

    /** The types of the messages up to ReadyForQuery, an error or the end. An error ends with its code. */
    List<String> untilReady() throws IOException {
        List<String> types = new ArrayList<>();
        while (true) {
            int type = in.read();
            if (type < 0) {
                types.add("end");
                return types;
            }
            byte[] rest = in.readNBytes(in.readInt() - 4);
            if (type == 'E') {
                ByteBuf frame = Unpooled.buffer().writeByte(type).writeInt(0).writeBytes(rest);
                types.add("E " + Frames.error(frame).code());
                return types;
            }
            types.add(String.valueOf((char) type));
            if (type == 'Z') {
                return types;
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
