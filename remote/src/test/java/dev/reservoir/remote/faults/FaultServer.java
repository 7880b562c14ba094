package dev.reservoir.remote.faults;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A real server that a test can break, with three users, and what differs in its SQL. */
interface FaultServer extends AutoCloseable {
    /** The users that exist. */
    List<String> USERS = List.of("u1", "u2", "u3");

    /** The first password of each user. */
    String PASSWORD = "first-password";

    RemoteDatabaseType type();

    /** The name of the JDBC driver. */
    String driver();

    int port();

    String database();

    /** Connects as an administrator, past all limits for users. */
    Connection admin() throws SQLException;

    /** Connects as one of the users, without the registry. */
    Connection asUser(String user) throws SQLException;

    void stop();

    void startAgain();

    /** How long a driver waits for an answer: the name of the driver's option, and its value for one second. */
    String[] oneSecondOfNetwork();

    /** How many users can be connected at once. Zero if the server has no such limit. */
    int limit();

    void setPassword(String user, String password) throws SQLException;

    /** A query for the number of sessions of the users. */
    String countSessions();

    /** A query for the number of statements that users execute now and that {@link #slow} started. */
    String countSlow();

    /** Whether the server survives the end of a session that executes a statement. */
    default boolean killsBusySessions() {
        return true;
    }

    /** Ends all sessions of users with this name. An empty name means all users. */
    void kill(String user) throws SQLException;

    /** A query that takes many seconds. */
    String slow();

    /** A query for everything in a session that one user may leave behind for the next. It has one value. */
    String state();

    /** Statements that change what {@link #state} shows, each group for one use of a connection. */
    List<List<String>> settings();

    /** Statements that make a temporary table, or rows in one. */
    List<String> temporaryTable();

    @Override
    void close();

    default void execute(String... statements) throws SQLException {
        try (Connection connection = admin();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    default int number(String query) {
        try (Connection connection = admin();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getInt(1);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    default int sessions() {
        return number(countSessions());
    }

    /** The server as the registry reaches it, by this port. */
    default ServerDefinition.Builder definition(int throughPort) {
        return ServerDefinition.builder("server", type())
                .host("127.0.0.1")
                .port(throughPort)
                .database(database())
                .sslMode(SslMode.DISABLE)
                .driverOption("name", driver());
    }
}
