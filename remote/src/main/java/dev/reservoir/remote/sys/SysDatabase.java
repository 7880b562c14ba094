package dev.reservoir.remote.sys;

import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.sql.Catalog;
import dev.reservoir.remote.sql.CatalogSession;
import dev.reservoir.remote.sql.SysProcedures;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The views of one registry, and the statements that change it. While it is open, {@code jdbc:reservoir:sys:<name>}
 * reaches it. Safe for use by several threads.
 */
public final class SysDatabase implements AutoCloseable {
    /** Most sessions at a time. Each has some hundred kilobytes of memory. */
    static final int SESSIONS_MAX = 100;

    private static final Map<String, SysDatabase> OPEN = new ConcurrentHashMap<>();

    private final String name;
    private final SysSource source;
    private final Catalog catalog;
    private final SysProcedures procedures;
    private final Set<SysSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private SysDatabase(String name, SysSource source, Catalog catalog, SysProcedures procedures) {
        this.name = name;
        this.source = source;
        this.catalog = catalog;
        this.procedures = procedures;
    }

    /**
     * Opens the views of a registry.
     *
     * @throws RemoteException RD032 if the views of a registry of this name are open
     */
    static SysDatabase open(String name, SysSource source, Catalog catalog, SysProcedures procedures)
            throws RemoteException {
        SysDatabase database = new SysDatabase(name, source, catalog, procedures);
        if (OPEN.putIfAbsent(name, database) != null) {
            throw new RemoteException(
                    RemoteErrorCode.INVALID_OPTION,
                    "the views of registry " + name + " are open already; allowed: one for each name");
        }
        return database;
    }

    /**
     * The views of a registry. Opens them if they are not open. After the registry was closed, they close by
     * themselves.
     */
    public static SysDatabase of(RemoteConnectionPoolRegistry registry) {
        SysDatabase known = named(registry.name());
        if (known != null) {
            return known;
        }
        RegistrySource source = new RegistrySource(registry);
        SysDatabase created = new SysDatabase(registry.name(), source, registry.catalog(), source);
        SysDatabase other = OPEN.putIfAbsent(registry.name(), created);
        return other == null ? created : other;
    }

    /** The views that are open under this name. Returns null if there are none. */
    static @Nullable SysDatabase named(String name) {
        SysDatabase database = OPEN.get(name);
        if (database != null && database.source.isClosed()) {
            database.close();
            return null;
        }
        return database;
    }

    static Set<String> names() {
        return new TreeSet<>(OPEN.keySet());
    }

    public String name() {
        return name;
    }

    /** Executes statements and calls for a local user, without queries. It needs no H2. */
    public CatalogSession statements(String user) {
        return new CatalogSession(catalog, procedures, user);
    }

    /** A connection for queries and statements, as {@code jdbc:reservoir:sys:<name>} gives. */
    public Connection connect(String user) throws SQLException {
        return SysConnection.of(session(user), SysDriver.PREFIX + name);
    }

    /**
     * A session of a local user.
     *
     * @throws RemoteException RD005 if there are too many, RD030 if this is closed
     */
    public SysSession session(String user) throws SQLException {
        if (closed || source.isClosed()) {
            throw new RemoteException(
                    RemoteErrorCode.SERVER_NOT_FOUND, "the views of registry " + name + " are closed");
        }
        if (sessions.size() >= SESSIONS_MAX) {
            throw new RemoteException(
                    RemoteErrorCode.POOL_EXHAUSTED,
                    "the views of registry " + name + " have " + sessions.size() + " sessions; allowed: at most "
                            + SESSIONS_MAX + ". Close connections that are not needed");
        }
        SysSession session =
                new SysSession(SysEngine.open(source), new CatalogSession(catalog, procedures, user), sessions::remove);
        sessions.add(session);
        if (closed) {
            session.close();
        }
        return session;
    }

    /** Ends all sessions. */
    @Override
    public void close() {
        closed = true;
        OPEN.remove(name, this);
        for (SysSession session : Set.copyOf(sessions)) {
            try {
                session.close();
            } catch (SQLException e) {
                // The memory of the session is free all the same.
                sessions.remove(session);
            }
        }
    }

    @Override
    public String toString() {
        return "SysDatabase[" + name + ", " + sessions.size() + " sessions]";
    }
}
