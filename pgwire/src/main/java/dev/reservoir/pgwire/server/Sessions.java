package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.PgError;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The connections and sessions of one server, and the bounds on their numbers. Safe for use by several threads. */
final class Sessions {
    /** Connections beyond two for each session. Cancel requests need them while all sessions are in use. */
    private static final int MORE_CONNECTIONS = 10;

    private final int most;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger processIds = new AtomicInteger();
    private final Map<Integer, ServerSession> byProcess = new ConcurrentHashMap<>();

    Sessions(int most) {
        this.most = most;
    }

    /** Counts a connection and says whether it may stay. {@link #disconnect} must follow in any case. */
    boolean connect() {
        return connections.incrementAndGet() <= 2 * most + MORE_CONNECTIONS;
    }

    void disconnect() {
        connections.decrementAndGet();
    }

    /** Admits a session and returns null, or returns the reason to refuse it. */
    @Nullable
    PgError enter() {
        int open = count.getAndUpdate(now -> now < most ? now + 1 : now);
        return open < most ? null : PgError.fatal("53300", "too many sessions (" + open + " >= " + most + ")");
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
