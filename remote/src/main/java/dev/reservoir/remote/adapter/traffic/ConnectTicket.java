package dev.reservoir.remote.adapter.traffic;

import dev.reservoir.remote.adapter.SessionObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Connects the socket of a driver with the observer of its connection. A driver creates its socket factory itself and
 * passes it nothing but a text. So the text is the id of a ticket, which is valid while the connect runs.
 */
public final class ConnectTicket implements AutoCloseable {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Map<String, ConnectTicket> OPEN = new ConcurrentHashMap<>();

    private final String id = Long.toString(NUMBERS.incrementAndGet());
    private final SessionObserver observer;
    private final Thread connecting = Thread.currentThread();
    private volatile boolean used;

    private ConnectTicket(SessionObserver observer) {
        this.observer = observer;
    }

    /** A ticket for one connect on this thread. The caller closes it when the connect has ended. */
    public static ConnectTicket open(SessionObserver observer) {
        ConnectTicket ticket = new ConnectTicket(observer);
        OPEN.put(ticket.id, ticket);
        return ticket;
    }

    public String id() {
        return id;
    }

    /** Whether the driver has asked for a socket with it. */
    public boolean isUsed() {
        return used;
    }

    /** The observer of the connect with this id. Returns {@link SessionObserver#NONE} if the connect has ended. */
    static SessionObserver use(@Nullable String id) {
        return used(id == null ? null : OPEN.get(id));
    }

    /**
     * The observer of the connect that runs on this thread, for a driver that passes no text and makes its socket on
     * the thread of the connect.
     */
    static SessionObserver useOfThisThread() {
        Thread current = Thread.currentThread();
        return used(OPEN.values().stream()
                .filter(ticket -> ticket.connecting == current)
                .findAny()
                .orElse(null));
    }

    private static SessionObserver used(@Nullable ConnectTicket ticket) {
        if (ticket == null) {
            return SessionObserver.NONE;
        }
        ticket.used = true;
        return ticket.observer;
    }

    @Override
    public void close() {
        OPEN.remove(id);
    }
}
