package dev.reservoir.remote.sys;

import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.sql.CatalogSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/**
 * A session of one user on the views: queries go to H2, statements for servers and mappings and calls to the registry.
 * Not for use by several threads, except {@link #close}.
 */
public final class SysSession implements AutoCloseable {
    /** Longest time of a query, in seconds. A wrong join may otherwise run for hours. */
    static final int QUERY_TIMEOUT_SECONDS = 30;

    /** Most rows of a result. H2 keeps a result in memory. */
    static final int ROWS_MAX = 1_000_000;

    private final SysEngine engine;
    private final CatalogSession statements;
    private final Consumer<SysSession> ended;

    SysSession(SysEngine engine, CatalogSession statements, Consumer<SysSession> ended) {
        this.engine = engine;
        this.statements = statements;
        this.ended = ended;
    }

    /** Whether the text is a statement for servers or mappings, or a call, and not a query. */
    public static boolean isStatement(String sql) {
        return CatalogSession.knows(sql);
    }

    /** Checks the syntax of a statement that is no query. */
    public static void check(String sql) throws RemoteException {
        CatalogSession.check(sql);
    }

    /** Executes statements that are no queries. A call may block. Returns the command tags. */
    public List<String> execute(String sql) throws SQLException {
        return statements.execute(sql);
    }

    /** Prepares a query, which may read PostgreSQL's catalog as psql does. Throws RD010 if the text is none. */
    public PreparedStatement prepare(String sql) throws SQLException {
        SysEngine.check(sql);
        PreparedStatement query = engine.reader().prepareStatement(PostgresSyntax.toH2(sql));
        query.setQueryTimeout(QUERY_TIMEOUT_SECONDS);
        query.setMaxRows(ROWS_MAX);
        return query;
    }

    /** Runs a query that {@link #prepare} made from this text. Its rows show the state of now. */
    public ResultSet run(PreparedStatement query, String sql) throws SQLException {
        refresh(sql);
        return query.executeQuery();
    }

    void refresh(String sql) throws SQLException {
        engine.refresh(sql);
    }

    Connection reader() {
        return engine.reader();
    }

    /** Ends the session and frees its memory. */
    @Override
    public void close() throws SQLException {
        ended.accept(this);
        engine.close();
    }
}
