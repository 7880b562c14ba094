package dev.reservoir.remote.adapter.traffic;

import dev.reservoir.jdbc.AbstractSocketFactory;
import dev.reservoir.remote.adapter.SessionObserver;
import java.net.Socket;
import java.util.Properties;

/**
 * Makes sockets whose bytes are counted. The class is public because drivers create it by its class name. It is not for
 * other use.
 */
public sealed class CountingSocketFactory extends AbstractSocketFactory {
    private final SessionObserver observer;

    /** For MariaDB's driver, which passes nothing. */
    public CountingSocketFactory() {
        this.observer = ConnectTicket.useOfThisThread();
    }

    /** For pgjdbc and Microsoft's driver, which pass one text. */
    public CountingSocketFactory(String ticket) {
        this.observer = ConnectTicket.use(ticket);
    }

    @Override
    public Socket createSocket() {
        return observer == SessionObserver.NONE ? new Socket() : new CountingSocket(observer);
    }

    /** The same for Jaybird, which passes the properties whose names end with {@code @socketFactory}. */
    public static final class ForFirebird extends CountingSocketFactory {
        /** The property for the ticket. */
        public static final String TICKET = "reservoir@socketFactory";

        public ForFirebird(Properties properties) {
            super(properties.getProperty(TICKET, ""));
        }
    }
}
