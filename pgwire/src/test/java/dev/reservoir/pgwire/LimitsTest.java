package dev.reservoir.pgwire;

import static dev.reservoir.pgwire.ExampleServer.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Nothing that a client does makes the server keep more than its limits allow. */
class LimitsTest {

    /** A client that says what it wants and nothing else. */
    private static final class RawClient implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;

        RawClient(ExampleServer server) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), server.server.port());
            socket.setSoTimeout(30_000);
            in = new DataInputStream(socket.getInputStream());
        }

        void send(ByteBuf message) throws IOException {
            socket.getOutputStream().write(ByteBufUtil.getBytes(message));
        }

        void login() throws IOException {
            send(ClientMessages.startup(Map.of("user", "ann")));
            assertThat(untilReady()).doesNotContain("E");
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
                byte[] rest = new byte[in.readInt() - 4];
                in.readFully(rest);
                if (type == 'E') {
                    ByteBuf frame =
                            Unpooled.buffer().writeByte(type).writeInt(0).writeBytes(rest);
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

    @Test
    void sessionsBeyondTheLimitAreRefusedUntilOneEnds() throws SQLException {
        try (ExampleServer server =
                ExampleServer.with(builder -> builder.withoutPassword().maxSessions(2))) {
            try (Connection first = server.connect();
                    Connection second = server.connect()) {
                SQLException error = catchThrowableOfType(
                        SQLException.class, () -> server.connect().close());
                assertThat(error.getSQLState()).isEqualTo("53300");
                assertThat(error.getMessage()).isEqualTo("FATAL: too many sessions (2 >= 2)");
                assertThat(values(first, "echo 1")).containsExactly("1");
                assertThat(values(second, "echo 1")).containsExactly("1");
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> server.server.sessions() == 0);
            server.connect().close();
        }
    }

    @Test
    void connectionsThatDoNotLogInAreBoundedToo() throws IOException {
        try (ExampleServer server =
                ExampleServer.with(builder -> builder.withoutPassword().maxSessions(1))) {
            List<RawClient> silent = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                silent.add(new RawClient(server));
            }
            try (RawClient tooMany = new RawClient(server)) {
                assertThat(tooMany.in.read()).isEqualTo(-1);
            }
            for (RawClient client : silent) {
                client.close();
            }
        }
    }

    @Test
    void aMessageBeyondTheLimitEndsTheSession() throws Exception {
        try (ExampleServer server =
                        ExampleServer.with(builder -> builder.withoutPassword().maxMessageBytes(1_024));
                RawClient client = new RawClient(server)) {
            client.login();
            client.send(Unpooled.buffer().writeByte('Q').writeInt(1_025));
            assertThat(client.untilReady()).containsExactly("E 08P01");
            assertThat(client.untilReady()).containsExactly("end");
        }
    }

    @Test
    void aMessageThatIsNoneEndsTheSession() throws Exception {
        try (ExampleServer server = ExampleServer.withoutPassword();
                RawClient client = new RawClient(server)) {
            client.login();
            client.send(Unpooled.buffer().writeByte('B').writeInt(5).writeByte(7));
            assertThat(client.untilReady()).containsExactly("E 08P01");
            assertThat(client.untilReady()).containsExactly("end");
            assertThat(server.nextHandler().closed.await(30, java.util.concurrent.TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    @Test
    void aSlowLoginEndsTheConnection() throws IOException {
        try (ExampleServer server = ExampleServer.with(
                        builder -> builder.withoutPassword().startupTimeout(Duration.ofMillis(100)));
                RawClient client = new RawClient(server)) {
            client.send(Unpooled.buffer().writeInt(100));
            assertThat(client.in.read()).isEqualTo(-1);
        }
    }

    @Test
    void anIdleSessionIsEnded() throws IOException {
        try (ExampleServer server =
                        ExampleServer.with(builder -> builder.withoutPassword().idleTimeout(Duration.ofMillis(100)));
                RawClient client = new RawClient(server)) {
            client.login();
            assertThat(client.untilReady()).containsExactly("E 57P05");
            assertThat(client.untilReady()).containsExactly("end");
            await().atMost(Duration.ofSeconds(30)).until(() -> server.server.sessions() == 0);
        }
    }

    @Test
    void aClientThatReadsNothingIsDisconnected() throws IOException {
        try (ExampleServer server =
                        ExampleServer.with(builder -> builder.withoutPassword().idleTimeout(Duration.ofMillis(300)));
                RawClient client = new RawClient(server)) {
            client.login();
            client.send(ClientMessages.query("count 100000000"));
            await().atMost(Duration.ofSeconds(60)).until(() -> server.server.sessions() == 0);
        }
    }

    @Test
    void preparedStatementsAreBounded() throws IOException {
        try (ExampleServer server = ExampleServer.withoutPassword();
                RawClient client = new RawClient(server)) {
            client.login();
            for (int i = 0; i < 1_000; i++) {
                client.send(ClientMessages.parse("s" + i, "echo 1"));
            }
            client.send(ClientMessages.parse("one more", "echo 1"));
            assertThat(client.untilReady()).hasSize(1_001).endsWith("1", "E 53400");
            client.send(ClientMessages.sync());
            assertThat(client.untilReady()).containsExactly("Z");
        }
    }

    @Test
    void wrongSettingsAreRefusedWithTheirNames() {
        PgServer.Builder builder = PgServer.builder(ExampleHandler::new);
        assertThatThrownBy(() -> builder.port(70_000)).hasMessage("port is 70000; allowed: 0 to 65535");
        assertThatThrownBy(() -> builder.maxSessions(0)).hasMessage("maxSessions is 0; allowed: 1 to 10000");
        assertThatThrownBy(() -> builder.idleTimeout(Duration.ZERO))
                .hasMessage("idleTimeout is PT0S; allowed: more than 0, at most 365 days");
    }
}
