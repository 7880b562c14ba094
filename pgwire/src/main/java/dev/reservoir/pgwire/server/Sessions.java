package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.PgError;
import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The connections and sessions of one server, and the bounds on their numbers. A connection is a session from its login
 * on. Before that it takes the place of no session, so that clients without a password keep nobody out. Safe for use by
 * several threads.
 */
final class Sessions {
    /** Connections before their login, beyond one for each session. Cancel requests need them. */
    private static final int MORE_STARTUPS = 10;

    private final int most;

    /** The connections before their login, the oldest first. Guarded by its own monitor. */
    private final Set<Channel> startups = new LinkedHashSet<>();

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger processIds = new AtomicInteger();
    private final Map<Integer, ServerSession> byProcess = new ConcurrentHashMap<>();

    Sessions(int most) {
        this.most = most;
    }

    /**
     * Adds a connection that has not logged in yet. {@link #enter} or {@link #disconnect} must follow.
     *
     * @return null, or the oldest such connection if there are too many. It must be closed. The new one stays, because
     *     a client that means to log in does it at once.
     */
    @Nullable
    Channel connect(Channel channel) {
        synchronized (startups) {
            startups.add(channel);
            if (startups.size() <= most + MORE_STARTUPS) {
                return null;
            }
            Channel oldest = startups.iterator().next();
            startups.remove(oldest);
            return oldest;
        }
    }

    /** A connection was closed, before or after its login. */
    void disconnect(Channel channel) {
        synchronized (startups) {
            startups.remove(channel);
        }
    }

    /** Makes a connection that has logged in a session and returns null, or returns the reason to refuse it. */
    @Nullable
    PgError enter(Channel channel) {
        int open = count.getAndUpdate(now -> now < most ? now + 1 : now);
        if (open >= most) {
            return PgError.fatal("53300", "too many sessions (" + open + " >= " + most + ")");
        }
        disconnect(channel);
        return null;
    }

    /** An admitted session has ended, and so have all calls to its handler. */
    void leave() {
        count.decrementAndGet();
    }

    int count() {
        return count.get();
    }

    int nextProcessId() {
        return processIds.incrementAndGet();
    }

    void add(ServerSession session) {
        byProcess.put(session.processId(), session);
    }

    void remove(ServerSession session) {
        byProcess.remove(session.processId());
    }

    /** Cancels the statement of a session if the secret is right. */
    void cancel(int processId, int secret) {
        ServerSession session = byProcess.get(processId);
        if (session != null) {
            session.cancel(secret);
        }
    }

    /** Tells every client that the server ends. */
    void endAll() {
        byProcess
                .values()
                .forEach(session -> session.end(
                        PgError.fatal("57P01", "terminating connection because the server is being closed")));
    }
}
