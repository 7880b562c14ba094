package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.TransactionState;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.SslMode;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What differs from one JDBC driver to the next. The methods without a default are what every driver needs. Holds no
 * connection and no secret. Safe for use by several threads.
 */
public interface DriverProfile {
    /** Where a database keeps tables. */
    enum Namespace {
        SCHEMA,
        /** The driver calls them catalogs, as those of MySQL do. */
        CATALOG,
        NONE
    }

    /** Settings of a JDBC connection that a driver remembers, and that its reset does not restore. */
    enum Setting {
        CATALOG,
        SCHEMA,
        ISOLATION
    }

    DriverInfo info();

    Set<Capability> capabilities();

    /** The capabilities with the server of this connection, which may be older or newer. Does not ask the server. */
    default Set<Capability> capabilities(Connection connection) {
        return capabilities();
    }

    /** The JDBC URL, without user and secrets. */
    String url(ConnectOptions options) throws RemoteException;

    /**
     * Adds the properties for login, TLS and timeouts. The options of the user for the driver come afterwards and win.
     *
     * @throws RemoteException RD032 if the driver does not support an option
     */
    void configure(ConnectOptions options, Properties properties) throws RemoteException;

    /**
     * The modes to try, one after the other, for a server with this mode. A driver that knows no {@code prefer} tries
     * with TLS, and then without it.
     */
    default List<SslMode> attempts(SslMode mode) {
        return List.of(mode);
    }

    /**
     * Makes the driver use sockets whose bytes are counted, if it can. Does nothing if the user chose a socket factory.
     *
     * @param properties all properties for the driver, to change
     * @param ticket the text that the driver must pass to its socket factory
     */
    default void countBytes(Properties properties, String ticket) {}

    /** Opens a connection. Blocks. Returns null if the driver does not accept the URL. */
    default @Nullable Connection open(Driver driver, String url, Properties properties) throws SQLException {
        return driver.connect(url, properties);
    }

    default Namespace namespace() {
        return Namespace.SCHEMA;
    }

    /** Whether the driver reads in batches only while a transaction is open. */
    default boolean cursorNeedsTransaction() {
        return true;
    }

    /**
     * What the driver knows about the transaction on the server, without asking the server. Returns null if it knows
     * nothing but the auto-commit mode.
     */
    default @Nullable TransactionState transactionState(Connection connection) throws SQLException {
        return null;
    }

    /** Called after a statement failed and the connection survived, for a driver that must find out where it stands. */
    default void afterError(Connection connection) throws SQLException {}

    /**
     * A statement that ends a transaction that somebody began with a statement of SQL, and does nothing if there is
     * none. Null if {@link #transactionState} knows of such a transaction, or if there cannot be one.
     */
    default @Nullable String leftoverRollback() {
        return null;
    }

    /** The property for the longest wait for an answer. If a user sets it, the session leaves it alone. */
    default String socketTimeoutProperty() {
        return "socketTimeout";
    }

    /** The settings that a session remembers after the connect and restores before {@link #reset}. */
    default Set<Setting> restored() {
        return Set.of();
    }

    /**
     * A statement that restores what the driver, or the user's options for it, set on the server after the login and
     * what {@link #reset} loses. The session asks for it after the connect, and executes it after each reset. Null if a
     * reset loses nothing. May ask the server.
     */
    default @Nullable String restoreStatement(Connection connection, Properties properties) throws SQLException {
        return null;
    }

    /**
     * The role of the session, for a database whose {@link #reset} keeps a role that a user chose by a statement. The
     * session compares it with the role after the connect, and says REPLACE if it differs. Null if a reset restores the
     * role. May ask the server.
     */
    default @Nullable String role(Connection connection) throws SQLException {
        return null;
    }

    /**
     * Removes session state. There is no transaction, and auto-commit is on. The session has restored the settings of
     * JDBC before.
     */
    ResetResult reset(Connection connection) throws SQLException;

    /** Asks the server whether the connection is encrypted. Returns null if that cannot be known. */
    default @Nullable Boolean isEncrypted(Connection connection) throws SQLException {
        return null;
    }
}
