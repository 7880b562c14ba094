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
 * Finds connections in use that hang because their packets are lost. The server knows nothing of such a session any more, or waits
 * for its next command, while the caller waits for an answer. A session that runs a statement or waits for a lock is neither.
 *
 * <p>The second case needs care. A command may be on its way to the server, and a long one is for a while: a server that receives it
 * still waits. So it takes two looks, between which nothing was written and nothing was read, and only connections whose sockets
 * can be watched are judged so. Never closes anything itself.
 */
final class UnresponsiveSessions {
    /** Longer than a short command is on its way. */
    private static final long PAUSE_MILLIS = 500;

    /** How long a server may take to name a new session. */
    private static final int NOTE_MILLIS = 5_000;

    /** What is known of each open connection, noted when it was opened. */
    private final Map<PhysicalConnection, ServerSessions.Id> ids = new ConcurrentHashMap<>();

    /**
     * Notes which session a connection has that was just opened. Costs a round trip. A server that does not tell is not asked later
     * either.
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
     * Asks with a connection that nobody uses which of the others are not served. Blocks for a round trip and, if some look like it,
     * for half a second and another one.
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
            // A driver for several servers may speak to another one by now.
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

    /** What has passed over the sockets of a connection; -1 if that cannot be seen, or if something is being written. */
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
     * @param number of its session
     * @param calls the count of its calls when it was first looked at
     * @param traffic what had passed over its sockets then
     */
    private record Suspect(PhysicalConnection connection, long number, int calls, long traffic) {

        /** @param idle what the server says of the session; null if it does not know it */
        boolean isUnresponsive(@Nullable Boolean idle) {
            return idle == null || (idle && waitsForAnAnswer());
        }

        /** Whether the call that was under way at the first look still is, and nothing has passed since. */
        private boolean waitsForAnAnswer() {
            return (calls & 1) == 1
                    && connection.calls() == calls
                    && traffic >= 0
                    && UnresponsiveSessions.traffic(connection) == traffic;
        }
    }
}
