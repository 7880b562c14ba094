package dev.reservoir.jdbc;

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
 * <p>The second case needs two looks: a command may have been on its way to the server at the first. Never closes anything itself.
 */
final class UnresponsiveSessions {
    /** Longer than a command is on its way. */
    private static final long PAUSE_MILLIS = 500;

    /** How long a server may take to name a new session. */
    private static final int NOTE_MILLIS = 5_000;

    /** What is known of each open connection, noted when it was opened. */
    private final Map<PhysicalConnection, ServerSessions.Id> ids = new ConcurrentHashMap<>();

    /** Notes which session a connection has that was just opened. Costs a round trip; one that fails is no harm. */
    void note(PhysicalConnection connection) {
        ServerSessions server = ServerSessions.of(connection.raw);
        if (server == null) {
            return;
        }
        Connection raw = connection.raw;
        try {
            int networkTimeoutMillis = raw.getNetworkTimeout();
            raw.setNetworkTimeout(Runnable::run, NOTE_MILLIS);
            ServerSessions.Id id = server.session(raw);
            if (!raw.getAutoCommit()) {
                raw.rollback();
            }
            raw.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
            if (id != null) {
                ids.put(connection, id);
            }
        } catch (SQLException | RuntimeException e) {
            // A server that does not tell is not asked later either. A connection that broke is found so when it is
            // used.
            return;
        }
    }

    void forget(PhysicalConnection connection) {
        ids.remove(connection);
    }

    /**
     * Asks with a connection that nobody uses which of the others are not served. Blocks for two round trips and, if some look
     * like it, for half a second more.
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
            if (id != null && id.server().equals(own.server())) {
                suspects.add(new Suspect(connection, id.number(), connection.calls()));
            }
        }
        List<Suspect> left = ask(server, fresh.raw, own, suspects);
        if (left.isEmpty()) {
            return List.of();
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        return ask(server, fresh.raw, own, left).stream()
                .map(Suspect::connection)
                .toList();
    }

    private static List<Suspect> ask(
            ServerSessions server, Connection raw, ServerSessions.Id own, List<Suspect> suspects) throws SQLException {
        Map<Long, Boolean> sessions = suspects.isEmpty() ? Map.of() : server.sessions(raw);
        if (!sessions.containsKey(own.number())) {
            return List.of();
        }
        return suspects.stream()
                .filter(suspect -> suspect.isUnresponsive(sessions.get(suspect.number)))
                .toList();
    }

    /**
     * A connection in use.
     *
     * @param number of its session
     * @param calls the count of its calls when it was first looked at
     */
    private record Suspect(PhysicalConnection connection, long number, int calls) {

        /** @param idle what the server says of the session; null if it does not know it */
        boolean isUnresponsive(@Nullable Boolean idle) {
            return idle == null || (idle && waitsForAnAnswer());
        }

        /** Whether the call that was under way at the first look still is. */
        private boolean waitsForAnAnswer() {
            return (calls & 1) == 1 && connection.calls() == calls;
        }
    }
}
