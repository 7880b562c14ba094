package dev.reservoir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultyProxyTest {

    private ServerSocket server;
    private FaultyProxy relay;

    @BeforeEach
    void startAnEchoBehindARelay() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(() -> {
            while (true) {
                Socket socket = server.accept();
                daemon(() -> socket.getInputStream().transferTo(socket.getOutputStream()));
            }
        });
        relay = FaultyProxy.to(server.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        relay.close();
        server.close();
    }

    @Test
    void passesEverythingOn() throws IOException {
        try (Socket client = connect()) {
            assertThat(echo(client, 7)).isEqualTo(7);
            assertThat(echo(client, 8)).isEqualTo(8);
            assertThat(relay.open()).isEqualTo(1);
        }
    }

    @Test
    void thePacketsOfOpenConnectionsVanishAndNewConnectionsWork() throws IOException {
        try (Socket before = connect()) {
            assertThat(echo(before, 1)).isEqualTo(1);
            relay.loseOpen();
            assertThat(relay.open()).isZero();
            before.setSoTimeout(200);
            assertThatThrownBy(() -> echo(before, 2)).isInstanceOf(SocketTimeoutException.class);
            try (Socket after = connect()) {
                assertThat(echo(after, 3)).isEqualTo(3);
            }
        }
    }

    @Test
    void halfOfTheConnectionsAreReset() throws IOException {
        try (Socket one = connect();
                Socket two = connect()) {
            assertThat(echo(one, 1)).isEqualTo(1);
            assertThat(echo(two, 2)).isEqualTo(2);
            assertThat(relay.resetHalf()).isEqualTo(1);
            assertThat((works(one) ? 1 : 0) + (works(two) ? 1 : 0)).isEqualTo(1);
        }
    }

    @Test
    void aCutEndsOpenConnectionsAndNewOnesUntilItIsRestored() throws IOException {
        try (Socket before = connect()) {
            assertThat(echo(before, 1)).isEqualTo(1);
            relay.all(FaultyProxy.Mode.REFUSE);
            assertThat(works(before)).isFalse();
            try (Socket during = connect()) {
                assertThat(works(during)).isFalse();
            }
            relay.all(FaultyProxy.Mode.PASS);
            try (Socket after = connect()) {
                assertThat(echo(after, 3)).isEqualTo(3);
            }
        }
    }

    @Test
    void openConnectionsAreEndedAndNewOnesWork() throws IOException {
        try (Socket before = connect()) {
            assertThat(echo(before, 1)).isEqualTo(1);
            relay.endOpen();
            assertThat(works(before)).isFalse();
            try (Socket after = connect()) {
                assertThat(echo(after, 2)).isEqualTo(2);
            }
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), relay.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static int echo(Socket client, int value) throws IOException {
        client.getOutputStream().write(value);
        return client.getInputStream().read();
    }

    private static boolean works(Socket client) {
        try {
            return echo(client, 9) == 9;
        } catch (IOException e) {
            return false;
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void daemon(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        if (Thread.currentThread().isInterrupted()) {
                            throw new UncheckedIOException(e);
                        }
                    }
                },
                "echo");
        thread.setDaemon(true);
        thread.start();
    }
}
