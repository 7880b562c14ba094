package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sockets with TCP keepalive and its timing. */
class KeepaliveSocketFactoryTest {
    private final KeepaliveSocketFactory sockets = new KeepaliveSocketFactory();

    private static Map<String, Object> options(Socket socket) throws IOException {
        Map<String, Object> options = new HashMap<>();
        for (SocketOption<?> option : socket.supportedOptions()) {
            if (option.name().startsWith("TCP_KEEP")) {
                options.put(option.name(), socket.getOption(option));
            }
        }
        return options;
    }

    @Test
    void aDeadPeerIsNoticedAfterAboutTwentySeconds() throws IOException {
        try (Socket socket = sockets.createSocket()) {
            assertThat(socket.getKeepAlive()).isTrue();
            Map<String, Object> options = options(socket);
            assumeThat(options).as("what this system knows").isNotEmpty();
            assertThat(options).isEqualTo(Map.of("TCP_KEEPIDLE", 5, "TCP_KEEPINTERVAL", 5, "TCP_KEEPCOUNT", 3));
        }
    }

    @Test
    void everyWayToMakeASocketKeepsItAlive() throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 10, here)) {
            int port = server.getLocalPort();
            String name = here.getHostAddress();
            try (Socket byName = sockets.createSocket(name, port);
                    Socket byAddress = sockets.createSocket(here, port);
                    Socket fromName = sockets.createSocket(name, port, here, 0);
                    Socket fromAddress = sockets.createSocket(here, port, here, 0)) {
                for (Socket socket : new Socket[] {byName, byAddress, fromName, fromAddress}) {
                    assertThat(socket.isConnected()).isTrue();
                    assertThat(socket.getKeepAlive()).isTrue();
                }
            }
        }
    }
}
