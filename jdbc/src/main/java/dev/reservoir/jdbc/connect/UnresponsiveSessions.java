package dev.reservoir.jdbc.connect;

import dev.reservoir.jdbc.wrap.PhysicalConnection;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds connections in use that hang because their packets are lost. In such a case the caller waits for an answer,
 * while the server no longer knows the session, or waits for its next command. A session that runs a statement or waits
 * for a lock is in neither state. Never closes a connection.
 *
 * <p>The second case needs care. While a command travels to the server, the server still waits for it, and a long
 * command takes a while. So the class looks twice, and counts a session as dead only if nothing was written or read in
 * between. It judges only connections whose sockets it can watch in this way.
 */
final class UnresponsiveSessions {
    /** The pause between the two looks. It is longer than a short command needs to reach the server. */
    private static final long PAUSE_MILLIS = 500;

    /** Bounds how long a server may take to name a new session, so that a connect does not hang there. */
    private static final int NOTE_MILLIS = 5_000;

    /** The session of each open connection, noted when it was opened. */
    private final Map<PhysicalConnection, ServerSessions.Id> ids = new ConcurrentHashMap<>();

    /**
     * Notes the session of a connection that was just opened. Blocks for one round trip. A server that does not name
     * the session is not asked later either.
     *
     * @throws SQLException if the connection cannot be used afterwards
     */
    void note(PhysicalConnection connection) throws SQLException {
        Connection raw = connection.raw;
        ServerSessions server = ServerSessions.of(raw);
        if (server == null) {
            return;
        }
        int networkTimeoutMillis = raw.getNetworkTimeout();
        raw.setNetworkTimeout(Runnable::run, NOTE_MILLIS);
        try {
            ServerSessions.Id id = server.session(raw);
            if (id != null) {
                ids.put(connection, id);
            }
        } catch (SQLException | RuntimeException notTold) {
            forget(connection);
        }
        endTransaction(raw);
        raw.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
    }

    void forget(PhysicalConnection connection) {
        ids.remove(connection);
    }

    private static void endTransaction(Connection raw) throws SQLException {
        if (!raw.getAutoCommit()) {
            raw.rollback();
        }
    }

    /**
     * Uses a connection that no caller has to ask which of the others the server does not serve. Blocks for one round
     * trip. If some look dead, blocks for half a second and a second round trip.
     */
    List<PhysicalConnection> find(PhysicalConnection fresh, Collection<PhysicalConnection> inUse)
            throws SQLException, InterruptedException {
        ServerSessions server = ServerSessions.of(fresh.raw);
        ServerSessions.Id own = ids.get(fresh);
        if (server == null || own == null) {
            return List.of();
        }
        List<Suspect> suspects = new ArrayList<>();
        for (PhysicalConnection connection : inUse) {
            ServerSessions.Id id = ids.get(connection);
            Long now = server.numberOfDriver(connection.raw);
            // A driver for several servers may have switched to another server since.
            if (id != null && now != null && now == id.number() && id.server().equals(own.server())) {
                suspects.add(new Suspect(connection, id.number(), connection.calls(), traffic(connection)));
            }
        }
        try {
            List<Suspect> left = ask(server, fresh.raw, own, suspects);
            if (left.isEmpty()) {
                return List.of();
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            return ask(server, fresh.raw, own, left).stream()
                    .map(Suspect::connection)
                    .toList();
        } finally {
            endTransaction(fresh.raw);
        }
    }

    private static List<Suspect> ask(
            ServerSessions server, Connection raw, ServerSessions.Id own, List<Suspect> suspects) throws SQLException {
        Map<Long, Boolean> sessions = suspects.isEmpty() ? Map.of() : server.sessions(raw, own.number());
        return sessions.isEmpty()
                ? List.of()
                : suspects.stream()
                        .filter(suspect -> suspect.isUnresponsive(sessions.get(suspect.number)))
                        .toList();
    }

    /**
     * How often data has passed over the sockets of a connection. Returns -1 if that cannot be observed, or if a thread
     * is writing.
     */
    private static long traffic(PhysicalConnection connection) {
        long sum = 0;
        for (Socket socket : connection.sockets) {
            if (!(socket instanceof CountedSocket counted) || counted.isWriting()) {
                return -1;
            }
            sum += counted.traffic();
        }
        return connection.sockets.isEmpty() ? -1 : sum;
    }

    /**
     * A connection in use.
     *
     * @param number the number of its session
     * @param calls the count of its calls at the first look
     * @param traffic the traffic on its sockets at the first look
     */
    private record Suspect(PhysicalConnection connection, long number, int calls, long traffic) {

        /**
         * @param idle whether the server says that the session is idle; null if the server does not know the session
         */
        boolean isUnresponsive(@Nullable Boolean idle) {
            return idle == null || (idle && waitsForAnAnswer());
        }

        /** Whether the call of the first look is still in progress, and nothing was written or read since. */
        private boolean waitsForAnAnswer() {
            return (calls & 1) == 1
                    && connection.calls() == calls
                    && traffic >= 0
                    && UnresponsiveSessions.traffic(connection) == traffic;
        }
    }
}
