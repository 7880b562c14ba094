package dev.reservoir.flightsql.server;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.arrow.flight.CallStatus;
import org.duckdb.DuckDBConnection;

/** The sessions of the server, one for each TCP peer. */
final class ServerSessions {
    private final DuckDBConnection database;
    private final Supplier<SessionRules> rules;

    /** Guarded by this object's lock. */
    private final Map<String, ServerSession> byPeer = new HashMap<>();

    private long opened;
    private long refused;

    ServerSessions(DuckDBConnection database, Supplier<SessionRules> rules) {
        this.database = database;
        this.rules = rules;
    }

    /** Returns the session of the peer, and begins one if it has none. */
    synchronized ServerSession of(String peer) {
        ServerSession session = byPeer.get(peer);
        if (session == null) {
            removeExpired();
            int max = rules.get().sessionsMax();
            if (byPeer.size() >= max) {
                refused++;
                throw CallStatus.RESOURCE_EXHAUSTED
                        .withDescription("session limit reached (" + byPeer.size() + " >= " + max + ")")
                        .toRuntimeException();
            }
            session = open(peer);
            byPeer.put(peer, session);
            opened++;
        }
        session.usedNanos = System.nanoTime();
        return session;
    }

    private ServerSession open(String peer) {
        try {
            return new ServerSession(peer, database.duplicate());
        } catch (SQLException e) {
            throw CallStatus.INTERNAL
                    .withDescription("duckdb error: " + e.getMessage())
                    .toRuntimeException();
        }
    }

    /** A session outlives its TCP connection if sessions expire. */
    void peerGone(String peer) {
        ServerSession ended;
        synchronized (this) {
            ended = rules.get().idleExpiry().isZero() ? byPeer.remove(peer) : null;
        }
        if (ended != null) {
            ended.close();
        }
    }

    private void removeExpired() {
        Duration expiry = rules.get().idleExpiry();
        if (expiry.isZero()) {
            return;
        }
        List<ServerSession> idle = new ArrayList<>(byPeer.values());
        idle.removeIf(session -> System.nanoTime() - session.usedNanos < expiry.toNanos());
        for (ServerSession session : idle) {
            // A session that runs a statement is not idle, however long ago the statement began.
            if (session.lock.tryAcquire()) {
                byPeer.remove(session.peer);
                session.close();
                session.lock.release();
            }
        }
    }

    synchronized int count() {
        return byPeer.size();
    }

    synchronized long opened() {
        return opened;
    }

    synchronized long refused() {
        return refused;
    }

    void closeAll() {
        List<ServerSession> all;
        synchronized (this) {
            all = List.copyOf(byPeer.values());
            byPeer.clear();
        }
        all.forEach(ServerSession::close);
    }
}
