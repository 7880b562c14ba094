package dev.reservoir.pgwire;

import static dev.reservoir.pgwire.ExampleServer.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is left after a server: nothing. */
class CloseTest {
    private static List<String> threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(found -> found.startsWith(name))
                .toList();
    }

    @Test
    void closingEndsSessionsStatementsAndThreads() throws Exception {
        ExampleServer server =
                ExampleServer.with(builder -> builder.withoutPassword().name("closed-soon"));
        try (Connection idle = server.connect();
                Connection busy = server.connect()) {
            server.nextHandler();
            ExampleHandler handler = server.nextHandler();
            CompletableFuture<SQLException> error = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(SQLException.class, () -> run(busy, "sleep")));
            assertThat(handler.sleeping.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(threads("closed-soon")).isNotEmpty();

            server.close();

            assertThat(threads("closed-soon")).isEmpty();
            assertThat(handler.closed.getCount()).isZero();
            assertThat(server.server.sessions()).isZero();
            assertThat(error.get(30, TimeUnit.SECONDS).getSQLState()).isEqualTo("57P01");
            assertThat(idle.isValid(5)).isFalse();
        } finally {
            server.close();
        }
    }

    @Test
    void anInterruptedThreadClosesTheServerAllTheSame() throws Exception {
        ExampleServer server =
                ExampleServer.with(builder -> builder.withoutPassword().name("interrupted"));
        try (Connection busy = server.connect()) {
            ExampleHandler handler = server.nextHandler();
            CompletableFuture<SQLException> error = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(SQLException.class, () -> run(busy, "sleep")));
            assertThat(handler.sleeping.await(30, TimeUnit.SECONDS)).isTrue();

            Thread.currentThread().interrupt();
            server.close();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(threads("interrupted")).isEmpty();
            assertThat(handler.closed.getCount()).isZero();
            assertThat(server.server.sessions()).isZero();
            assertThat(error.get(30, TimeUnit.SECONDS).getSQLState()).isEqualTo("57P01");
        } finally {
            server.close();
        }
    }

    @Test
    void aServerThatCannotListenLeavesNothing() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> PgServer.builder(ExampleHandler::new)
                            .withoutPassword()
                            .name("never-there")
                            .bindAddress(taken.getInetAddress().getHostAddress())
                            .port(taken.getLocalPort())
                            .start())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("never-there cannot listen on 127.0.0.1:" + taken.getLocalPort());
        }
        assertThat(threads("never-there")).isEmpty();
    }
}
