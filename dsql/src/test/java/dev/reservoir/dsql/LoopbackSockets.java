package dev.reservoir.dsql;

import dev.reservoir.jdbc.AbstractSocketFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;

/** Sockets for the PostgreSQL driver that find every host on this machine, whatever its name. */
public final class LoopbackSockets extends AbstractSocketFactory {
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
}
