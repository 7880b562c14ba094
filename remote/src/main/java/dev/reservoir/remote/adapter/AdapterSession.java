package dev.reservoir.remote.adapter;

import dev.reservoir.remote.adapter.catalog.ColumnInfo;
import dev.reservoir.remote.adapter.catalog.ForeignKeyInfo;
import dev.reservoir.remote.adapter.catalog.IndexInfo;
import dev.reservoir.remote.adapter.catalog.PrimaryKeyInfo;
import dev.reservoir.remote.adapter.catalog.SchemaInfo;
import dev.reservoir.remote.adapter.catalog.TableInfo;
import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.RemoteException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operations of an adapter on one open connection.
 *
 * <p>One thread at a time uses a session. {@link #cancel}, {@link #state}, {@link #stats}, {@link #report},
 * {@link #abort} and {@link #close} may be called by any thread at any time. {@link #state} and {@link #stats} never
 * block; {@link #cancel} may open a second connection for a moment; all others talk to the server and block.
 *
 * <p>Every method throws {@link RemoteException} with a code, and with SQLState and vendor code of the database. After
 * an error that kills the connection, {@link #state} is {@link ConnectionState#FAILED}.
 */
public interface AdapterSession extends AutoCloseable {
    /** Rows per batch of a cursor, unless the caller says otherwise. */
    int FETCH_SIZE_DEFAULT = 1_000;

    /** Most rows per batch of a cursor, and most rows that {@link #query} reads into memory. */
    int FETCH_SIZE_MAX = 100_000;

    /** Longest query timeout. */
    Duration QUERY_TIMEOUT_MAX = Duration.ofHours(1);

    DatabaseAdapter adapter();

    /**
     * The connection of the driver, for callers that use JDBC. It is the same object for the whole life of the session.
     * The caller must not close it. Statements that a caller makes by itself have no query timeout of the session.
     */
    Connection connection();

    ConnectionState state();

    /** The operations that this server with this driver offers. */
    Set<Capability> capabilities();

    SessionStats stats();

    /** Versions, user and encryption. Asks the server. */
    SessionInfo info() throws RemoteException;

    /**
     * Classifies an error that a caller of {@link #connection} got. If it killed the connection, the state becomes
     * {@link ConnectionState#FAILED}. Does not block.
     */
    RemoteFailure report(SQLException error);

    // Health and reuse

    /** Asks the server for a sign of life. In an aborted transaction too, it says only whether the connection works. */
    void ping(Duration timeout) throws RemoteException;

    /**
     * Ends what the last user left open: a running cursor, statements, a transaction (by a rollback, also if it is
     * aborted). Restores auto-commit and the query timeout. Leaves other session state as it is.
     */
    void finish() throws RemoteException;

    /** Does what {@link #finish} does, and then removes session state, as well as the database can. */
    ResetResult reset() throws RemoteException;

    // Statements

    /**
     * Executes a query and reads all rows.
     *
     * @throws RemoteException RD015 if there are more than {@link #FETCH_SIZE_MAX} rows; a cursor can read them
     */
    QueryResult query(String sql, @Nullable Object... parameters) throws RemoteException;

    /** Executes a statement without a result. Returns the number of changed rows. */
    long update(String sql, @Nullable Object... parameters) throws RemoteException;

    RemoteStatement prepare(String sql) throws RemoteException;

    /**
     * Executes a query and reads the rows in batches.
     *
     * <p>Some databases need a transaction for that. Outside a transaction, the cursor then has one of its own. Until
     * the cursor is closed, {@link #query}, {@link #update} and prepared statements fail with RD015, and what a caller
     * executes on {@link #connection} belongs to the transaction of the cursor. Closing the cursor commits it. If the
     * session ends its use before, it is rolled back. Call {@link #begin} first to execute other statements meanwhile.
     *
     * @param fetchSize rows per batch, 1 to {@link #FETCH_SIZE_MAX}
     * @throws RemoteException RD015 if another cursor is open, RD032 if the fetch size is not allowed
     */
    RemoteCursor openCursor(String sql, int fetchSize, @Nullable Object... parameters) throws RemoteException;

    /** Ends the statement that is running, if there is one. Any thread may call it. Returns whether there was one. */
    boolean cancel() throws RemoteException;

    /** Sets the longest time of each later statement, until {@link #finish}. Zero means no limit. */
    void setQueryTimeout(Duration timeout) throws RemoteException;

    // Transactions

    TransactionState transactionState() throws RemoteException;

    void begin() throws RemoteException;

    /** Commits and returns to auto-commit. Throws RD023 if the transaction is aborted, which is then rolled back. */
    void commit() throws RemoteException;

    /** Rolls back and returns to auto-commit. Does nothing if there is no transaction. */
    void rollback() throws RemoteException;

    void savepoint(String name) throws RemoteException;

    void rollbackTo(String savepoint) throws RemoteException;

    void release(String savepoint) throws RemoteException;

    // Catalog

    List<SchemaInfo> schemas() throws RemoteException;

    /** The tables and views of a schema. An empty name means the schema that the user is in. */
    List<TableInfo> tables(String schema) throws RemoteException;

    List<ColumnInfo> columns(String schema, String table) throws RemoteException;

    List<IndexInfo> indexes(String schema, String table) throws RemoteException;

    Optional<PrimaryKeyInfo> primaryKey(String schema, String table) throws RemoteException;

    List<ForeignKeyInfo> foreignKeys(String schema, String table) throws RemoteException;

    // End

    /** Ends the connection without waiting for the server. For a connection that does not answer. */
    void abort();

    /** Closes the connection. Reports no error. */
    @Override
    void close();
}
