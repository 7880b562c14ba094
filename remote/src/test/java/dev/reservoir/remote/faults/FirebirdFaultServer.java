package dev.reservoir.remote.faults;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.testserver.FirebirdServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** Firebird 3. It has no limit for connections of its own. */
final class FirebirdFaultServer implements FaultServer {
    private static final String OF_USERS = " FROM MON$ATTACHMENTS WHERE MON$USER IN ('U1', 'U2', 'U3')";

    private final FirebirdServer firebird;
    private final String database;

    private FirebirdFaultServer(FirebirdServer firebird, String database) {
        this.firebird = firebird;
        this.database = database;
    }

    static FaultServer start() throws SQLException {
        FirebirdServer.assumeInstalled();
        FirebirdServer firebird = FirebirdServer.start();
        FaultServer server = new FirebirdFaultServer(firebird, firebird.createDatabase("faults"));
        server.execute(
                "CREATE ROLE painter",
                "CREATE TABLE ledger (id INTEGER)",
                "GRANT ALL ON ledger TO PUBLIC",
                "CREATE GLOBAL TEMPORARY TABLE leftover (x INTEGER) ON COMMIT PRESERVE ROWS",
                "GRANT ALL ON leftover TO PUBLIC");
        for (String user : USERS) {
            server.execute("CREATE USER " + user + " PASSWORD '" + PASSWORD + "'", "GRANT painter TO " + user);
        }
        return server;
    }

    @Override
    public RemoteDatabaseType type() {
        return RemoteDatabaseType.FIREBIRD;
    }

    @Override
    public String driver() {
        return "firebird";
    }

    @Override
    public int port() {
        return firebird.port();
    }

    @Override
    public String database() {
        return database;
    }

    @Override
    public Connection admin() throws SQLException {
        return connect(FirebirdServer.USER, FirebirdServer.PASSWORD);
    }

    @Override
    public Connection asUser(String user) throws SQLException {
        return connect(user, PASSWORD);
    }

    private Connection connect(String user, String password) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:firebird://127.0.0.1:" + port() + "/" + database + "?encoding=UTF8", user, password);
    }

    @Override
    public void stop() {
        firebird.crash();
    }

    @Override
    public void startAgain() {
        firebird.startAgain();
    }

    @Override
    public String[] oneSecondOfNetwork() {
        return new String[] {"soTimeout", "1000"};
    }

    @Override
    public int limit() {
        return 0;
    }

    @Override
    public void setPassword(String user, String password) throws SQLException {
        execute("ALTER USER " + user + " PASSWORD '" + password + "'");
    }

    @Override
    public String countSessions() {
        return "SELECT COUNT(*)" + OF_USERS;
    }

    @Override
    public String countSlow() {
        return "SELECT COUNT(*) FROM MON$STATEMENTS s JOIN MON$ATTACHMENTS a USING (MON$ATTACHMENT_ID)"
                + " WHERE a.MON$USER IN ('U1', 'U2', 'U3') AND s.MON$STATE = 1"
                + " AND s.MON$SQL_TEXT LIKE '%RDB$TYPES d%'";
    }

    /** Firebird 3.0 may crash. */
    @Override
    public boolean killsBusySessions() {
        return false;
    }

    @Override
    public void kill(String user) throws SQLException {
        execute("DELETE" + OF_USERS + (user.isEmpty() ? "" : " AND MON$USER = UPPER('" + user + "')"));
    }

    @Override
    public String slow() {
        return "SELECT COUNT(*) FROM RDB$TYPES a, RDB$TYPES b, RDB$TYPES c, RDB$TYPES d";
    }

    @Override
    public String state() {
        return """
                SELECT TRIM(CURRENT_ROLE) || '/' || (SELECT COUNT(*) FROM leftover) || '/' ||
                    (SELECT COUNT(*) FROM MON$CONTEXT_VARIABLES WHERE MON$ATTACHMENT_ID = CURRENT_CONNECTION) || '/' ||
                    (SELECT MON$ISOLATION_MODE || '-' || MON$READ_ONLY || '-' || MON$LOCK_TIMEOUT
                        FROM MON$TRANSACTIONS WHERE MON$TRANSACTION_ID = CURRENT_TRANSACTION)
                FROM RDB$DATABASE""";
    }

    @Override
    public List<List<String>> settings() {
        return List.of(
                List.of("EXECUTE BLOCK AS BEGIN RDB$SET_CONTEXT('USER_SESSION', 'colour', 'red'); END"),
                List.of("SET ROLE painter"));
    }

    @Override
    public List<String> temporaryTable() {
        return List.of("INSERT INTO leftover VALUES (1)");
    }

    @Override
    public void close() {
        firebird.close();
    }
}
