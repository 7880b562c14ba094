package dev.reservoir.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.pgwire.message.ClientMessages;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS, and the host that a client names in it. */
class SniTest {
    private static final String HOST = "abcdefghijklmnopqrstuvwxyz.dsql.eu-west-1.on.aws";

    private static DsqlEmulator start(String host) {
        return DsqlEmulator.builder()
                .backend(Backend.stub())
                .host(host)
                .httpPort(-1)
                .start();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoNamesTheHostComesIn(boolean direct) throws Exception {
        try (DsqlEmulator dsql = start(HOST);
                WireClient client =
                        WireClient.connect(WireClient.trust(dsql.caCertificate()), dsql.port(), HOST, direct)) {
            assertThat(client.startup()).containsExactly("R", "ZI");
        }
    }

    @Test
    void whoNamesNoHostOrAnotherIsRefused() throws Exception {
        try (DsqlEmulator dsql = start(HOST)) {
            var tls = WireClient.trust(dsql.caCertificate());
            for (String host : new String[] {null, "zyx.dsql.eu-west-1.on.aws"}) {
                try (WireClient client = WireClient.connect(tls, dsql.port(), host, false)) {
                    assertThat(client.startup()).containsExactly("E 08006", "end");
                }
            }
            assertThat(dsql.counters().accepted()).isZero();
        }
    }

    @Test
    void forAHostWithoutADotNoNameIsAskedFor() throws Exception {
        try (DsqlEmulator dsql = start("localhost");
                WireClient client =
                        WireClient.connect(WireClient.trust(dsql.caCertificate()), dsql.port(), null, false)) {
            assertThat(client.startup()).containsExactly("R", "ZI");
        }
    }

    @Test
    void bytesThatCameBeforeTlsAreNotTakenForEncryptedOnes() throws Exception {
        try (DsqlEmulator dsql = start("localhost");
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), dsql.port())) {
            socket.setSoTimeout(60_000);
            byte[] request = new byte[16];
            Unpooled.wrappedBuffer(request)
                    .clear()
                    .writeInt(8)
                    .writeInt(ClientMessages.SSL_REQUEST)
                    .writeInt(8)
                    .writeInt(ClientMessages.SSL_REQUEST);
            socket.getOutputStream().write(request);
            assertThat(socket.getInputStream().read()).isNegative();
        }
    }

    @Test
    void nonsenseIsNotAnswered() throws Exception {
        try (DsqlEmulator dsql = start("localhost");
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), dsql.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream()
                    .write("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            assertThatThrownBy(() -> {
                        if (socket.getInputStream().read() < 0) {
                            throw new IOException("closed");
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertThat(dsql.counters().open()).isZero();
        }
    }
}
