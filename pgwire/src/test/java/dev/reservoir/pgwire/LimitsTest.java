package dev.reservoir.pgwire;

import static dev.reservoir.pgwire.ExampleServer.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.reservoir.pgwire.message.ClientMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Nothing that a client does makes the server keep more than its limits allow. */
class LimitsTest {

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
    void clientsWithoutAPasswordKeepNobodyOut() throws Exception {
        try (ExampleServer server = ExampleServer.with(builder ->
                builder.login(ExampleServer.USER, ExampleServer.PASSWORD).maxSessions(2))) {
            List<RawClient> strangers = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                RawClient stranger = new RawClient(server);
                stranger.send(ClientMessages.startup(Map.of("user", ExampleServer.USER)));
                assertThat(stranger.read())
                        .as("the server asks for the password")
                        .isEqualTo('R');
                strangers.add(stranger);
            }
            for (int i = 0; i < 20; i++) {
                strangers.add(new RawClient(server));
            }
            try (Connection first = server.connect();
                    Connection second = server.connect()) {
                assertThat(values(first, "echo 1")).containsExactly("1");
                assertThat(values(second, "echo 1")).containsExactly("1");
                assertThatThrownBy(() -> server.connect().close()).hasMessage("FATAL: too many sessions (2 >= 2)");
                assertThat(server.server.sessions()).isEqualTo(2);
            }
            for (RawClient stranger : strangers) {
                stranger.close();
            }
        }
    }

    @Test
    void connectionsThatDoNotLogInAreBoundedAndTheOldestEnds() throws IOException {
        try (ExampleServer server =
                        ExampleServer.with(builder -> builder.withoutPassword().maxSessions(1));
                RawClient oldest = new RawClient(server)) {
            List<RawClient> silent = new ArrayList<>();
            for (int i = 0; i < 11; i++) {
                silent.add(new RawClient(server));
            }
            assertThat(oldest.read()).isEqualTo(-1);
            silent.get(0).login();
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
            assertThat(server.nextHandler().closed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aSlowLoginEndsTheConnection() throws IOException {
        try (ExampleServer server = ExampleServer.with(
                        builder -> builder.withoutPassword().startupTimeout(Duration.ofMillis(100)));
                RawClient client = new RawClient(server)) {
            client.send(Unpooled.buffer().writeInt(100));
            assertThat(client.read()).isEqualTo(-1);
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

    /** The server may hold a little more than the high-water mark of a channel, besides the buffers of the sockets. */
    @Test
    void answersThatAClientDoesNotReadAreFew() throws Exception {
        try (ExampleServer server =
                        ExampleServer.with(builder -> builder.withoutPassword().idleTimeout(Duration.ofMillis(500)));
                RawClient client = new RawClient(server)) {
            client.login();
            ExampleHandler handler = server.nextHandler();
            client.send(ClientMessages.parse("s", "types"));
            // Each answer is some hundred bytes long. The client gives up when the server takes no more.
            byte[] describes = new byte[64 << 10];
            ByteBuf one = Unpooled.buffer()
                    .writeByte('D')
                    .writeInt(7)
                    .writeByte('S')
                    .writeByte('s')
                    .writeByte(0);
            for (int at = 0; at + 8 <= describes.length; at += 8) {
                one.getBytes(0, describes, at, 8);
            }
            assertThat(client.sendUntilReset(describes, 64 << 20)).isLessThan(32 << 20);
            assertThat(handler.closed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aScriptStopsWhileItsClientDoesNotRead() throws Exception {
        try (ExampleServer server =
                        ExampleServer.with(builder -> builder.withoutPassword().idleTimeout(Duration.ofMillis(500)));
                RawClient client = new RawClient(server)) {
            client.login();
            ExampleHandler handler = server.nextHandler();
            client.send(ClientMessages.query("types;".repeat(170_000)));
            assertThat(handler.closed.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(handler.prepared.get()).isLessThan(160_000);
        }
    }

    @Test
    void anErrorEndsASessionWhoseClientDoesNotRead() throws Exception {
        try (ExampleServer server = ExampleServer.withoutPassword();
                RawClient client = new RawClient(server)) {
            client.login();
            ExampleHandler handler = server.nextHandler();
            client.send(ClientMessages.query("count 100000000"));
            await().atMost(Duration.ofSeconds(30)).until(() -> isStuck(handler));
            client.send(Unpooled.buffer().writeByte('B').writeInt(3));
            assertThat(handler.closed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Whether the server takes no more rows, because its client does not read. */
    private static boolean isStuck(ExampleHandler handler) throws InterruptedException {
        int before = handler.rows.get();
        Thread.sleep(300);
        return before > 0 && before == handler.rows.get();
    }

    @Test
    void aRequestForEncryptionIsAnsweredOnce() throws IOException {
        try (ExampleServer server = ExampleServer.withoutPassword();
                RawClient client = new RawClient(server)) {
            for (int code : List.of(ClientMessages.GSS_REQUEST, ClientMessages.SSL_REQUEST)) {
                client.send(Unpooled.buffer().writeInt(8).writeInt(code));
                assertThat(client.read()).isEqualTo('N');
            }
            client.send(Unpooled.buffer().writeInt(8).writeInt(ClientMessages.SSL_REQUEST));
            assertThat(client.read()).isEqualTo(-1);
        }
    }

    @Test
    void nothingKeepsASessionThatHasEnded() throws Exception {
        try (ExampleServer server =
                ExampleServer.with(builder -> builder.withoutPassword().idleTimeout(Duration.ofDays(1)))) {
            server.connect().close();
            ExampleHandler handler = server.nextHandler();
            assertThat(handler.closed.await(30, TimeUnit.SECONDS)).isTrue();
            WeakReference<ExampleHandler> ended = new WeakReference<>(handler);
            handler = null;
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                System.gc();
                return ended.get() == null;
            });
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
