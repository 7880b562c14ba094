package dev.reservoir.jdbc;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/** Counts what the PostgreSQL driver sends, for tests of what is not sent. The driver makes it by its name. */
public final class CountingSocketFactory extends SocketFactory {
    private static final AtomicLong WRITES = new AtomicLong();

    /** What to add to a URL. */
    static final String PARAMETER = "socketFactory=" + CountingSocketFactory.class.getName();

    /** How often something was sent so far, on all connections. */
    static long writes() {
        return WRITES.get();
    }

    @Override
    public Socket createSocket() {
        return new CountingSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    private static final class CountingSocket extends Socket {
        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int b) throws IOException {
                    WRITES.incrementAndGet();
                    out.write(b);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    WRITES.incrementAndGet();
                    out.write(bytes, offset, length);
                }
            };
        }
    }
}
