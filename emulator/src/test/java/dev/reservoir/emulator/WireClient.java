package dev.reservoir.emulator;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Speaks PostgreSQL's protocol message by message, so that a test can send many ahead. */
final class WireClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final DataInputStream in;

    private WireClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    /** Trusts the authority of the emulator. */
    static SSLContext trust(Path caCertificate) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream file = Files.newInputStream(caCertificate)) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** A connection with TLS, requested or direct, that names this host. Sends no startup message yet. */
    static WireClient connect(SSLContext tls, int port, @Nullable String host, boolean direct) throws IOException {
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
        plain.setSoTimeout(PATIENCE_MILLIS);
        plain.setTcpNoDelay(true);
        if (!direct) {
            plain.getOutputStream().write(bytes(Unpooled.buffer(8).writeInt(8).writeInt(ClientMessages.SSL_REQUEST)));
            if (plain.getInputStream().read() != 'S') {
                throw new IOException("no TLS");
            }
        }
        SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
        SSLParameters parameters = socket.getSSLParameters();
        if (host != null) {
            parameters.setServerNames(List.of(new SNIHostName(host)));
        }
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return new WireClient(socket);
    }

    /** A session that is ready for queries. */
    static WireClient open(DsqlEmulator dsql) throws IOException, GeneralSecurityException {
        WireClient client = connect(trust(dsql.caCertificate()), dsql.port(), null, false);
        client.startup();
        return client;
    }

    List<String> startup() throws IOException {
        send(ClientMessages.startup(Map.of("user", "admin", "database", "postgres")));
        return untilReady(1);
    }

    /** Sends all messages in one write. */
    void send(ByteBuf... frames) throws IOException {
        socket.getOutputStream().write(bytes(Unpooled.wrappedBuffer(frames)));
        socket.getOutputStream().flush();
    }

    private static byte[] bytes(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        return bytes;
    }

    /** The answers up to this many ReadyForQuery or the end, in short form, without those about parameters. */
    List<String> untilReady(int times) throws IOException {
        List<String> answers = new ArrayList<>();
        int ready = 0;
        while (ready < times) {
            int type = in.read();
            if (type < 0) {
                answers.add("end");
                return answers;
            }
            byte[] body = new byte[in.readInt() - 4];
            in.readFully(body);
            ready += type == 'Z' ? 1 : 0;
            if (type != 'S' && type != 'K' && type != 'N') {
                answers.add(shortly((char) type, body));
            }
        }
        return answers;
    }

    private static String shortly(char type, byte[] body) {
        ByteBuf buffer = Unpooled.wrappedBuffer(body);
        return switch (type) {
            case 'Z' -> "Z" + (char) body[0];
            case 'C' -> "C " + Frames.text(buffer);
            case 'E' -> {
                ByteBuf frame = Unpooled.buffer()
                        .writeByte('E')
                        .writeInt(body.length + 4)
                        .writeBytes(body);
                PgError error = Frames.error(frame);
                String position = error.fields().get('P');
                yield "E " + error.code() + (position == null ? "" : " at " + position);
            }
            default -> String.valueOf(type);
        };
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
