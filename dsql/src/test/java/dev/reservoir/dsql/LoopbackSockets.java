package dev.reservoir.dsql;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.SocketFactory;

/** Sockets for the PostgreSQL driver that find every host on this machine, whatever its name. */
public final class LoopbackSockets extends SocketFactory {
    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public void connect(SocketAddress address, int timeoutMillis) throws IOException {
                int port = ((InetSocketAddress) address).getPort();
                super.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMillis);
            }
        };
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
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException();
    }
}
