package dev.reservoir.remote.faults;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.testserver.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** MariaDB, with one of two drivers. The tests with both drivers use the same server, one after the other. */
final class MariaDbFaultServer implements FaultServer {
    private static final int LIMIT = 12;
    private static final String OF_USERS = " FROM information_schema.PROCESSLIST WHERE USER IN ('u1', 'u2', 'u3')";

    private static MariaDbServer shared;

    private final MariaDbServer mariaDb;
    private final String driver;

    private MariaDbFaultServer(MariaDbServer mariaDb, String driver) {
        this.mariaDb = mariaDb;
        this.driver = driver;
    }

    static synchronized FaultServer start(String driver) throws SQLException {
        MariaDbServer.assumeAvailable();
        boolean isFirst = shared == null;
        if (isFirst) {
            shared = MariaDbServer.start();
        }
        FaultServer server = new MariaDbFaultServer(shared, driver);
        if (isFirst) {
            for (String user : USERS) {
                server.execute(
                        "CREATE USER '" + user + "'@'%' IDENTIFIED BY '" + PASSWORD + "'",
                        "GRANT ALL ON test.* TO '" + user + "'@'%'");
            }
            server.execute(
                    "CREATE ROLE painter",
                    "GRANT painter TO 'u1'@'%'",
                    "GRANT painter TO 'u2'@'%'",
                    "GRANT painter TO 'u3'@'%'",
                    "CREATE TABLE test.ledger (id INTEGER) ENGINE=InnoDB");
        }
        server.execute("SET GLOBAL max_connections = " + LIMIT);
        return server;
    }

    @Override
    public RemoteDatabaseType type() {
        return RemoteDatabaseType.MYSQL;
    }

    @Override
    public String driver() {
        return driver;
    }

    @Override
    public int port() {
        return mariaDb.port();
    }

    @Override
    public String database() {
        return "test";
    }

    /** A reset keeps what the options set. */
    @Override
    public ServerDefinition.Builder definition(int throughPort) {
        return FaultServer.super.definition(throughPort).driverOption("sessionVariables", "lock_wait_timeout=77");
    }

    @Override
    public Connection admin() throws SQLException {
        return mariaDb.connection();
    }

    @Override
    public Connection asUser(String user) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port() + "/test?sslMode=disable", user, PASSWORD);
    }

    @Override
    public void stop() {
        mariaDb.crash();
    }

    @Override
    public void startAgain() {
        mariaDb.startAgain();
    }

    @Override
    public String[] oneSecondOfNetwork() {
        return new String[] {"socketTimeout", "1000"};
    }

    @Override
    public int limit() {
        return LIMIT;
    }

    @Override
    public void setPassword(String user, String password) throws SQLException {
        execute("ALTER USER '" + user + "'@'%' IDENTIFIED BY '" + password + "'");
    }

    @Override
    public String countSessions() {
        return "SELECT COUNT(*)" + OF_USERS;
    }

    @Override
    public String countSlow() {
        return "SELECT COUNT(*)" + OF_USERS + " AND COMMAND <> 'Sleep' AND INFO LIKE '%SLEEP(30)%'";
    }

    @Override
    public void kill(String user) throws SQLException {
        for (String each : user.isEmpty() ? USERS : List.of(user)) {
            execute("KILL USER '" + each + "'@'%'");
        }
    }

    @Override
    public String slow() {
        return "SELECT SLEEP(30)";
    }

    @Override
    public String state() {
        return """
                SELECT CONVERT(CONCAT_WS('/', DATABASE(), COALESCE(CURRENT_ROLE(), 'none'), COALESCE(@colour, 'none'),
                    IF(IS_USED_LOCK('door') = CONNECTION_ID(), 'locked', 'none'),
                    (SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_TYPE = 'TEMPORARY'),
                    GROUP_CONCAT(VARIABLE_NAME, '=', VARIABLE_VALUE ORDER BY VARIABLE_NAME SEPARATOR ';')) USING utf8mb4)
                FROM information_schema.SESSION_VARIABLES
                WHERE VARIABLE_NAME NOT IN ('TIMESTAMP', 'RAND_SEED1', 'RAND_SEED2', 'LAST_INSERT_ID', 'IDENTITY',
                    'INSERT_ID', 'PSEUDO_THREAD_ID', 'ERROR_COUNT', 'WARNING_COUNT', 'LAST_GTID')
                AND VARIABLE_NAME NOT LIKE 'GTID%'""";
    }

    @Override
    public List<List<String>> settings() {
        return List.of(
                List.of("SET SESSION sql_mode = 'ANSI'", "SET @colour = 'red'"),
                List.of("SET time_zone = '+09:00'", "SET SESSION max_statement_time = 12.5"),
                List.of("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET SESSION TRANSACTION READ ONLY"),
                List.of("SET autocommit = 0", "SELECT * FROM ledger"),
                List.of("SET ROLE painter"),
                List.of("SELECT GET_LOCK('door', 0)", "LOCK TABLES ledger READ"),
                List.of("USE information_schema", "SET NAMES utf8mb3"),
                List.of("PREPARE colour FROM 'SELECT 1'", "SET SESSION lc_time_names = 'de_DE'"));
    }

    @Override
    public List<String> temporaryTable() {
        return List.of("CREATE TEMPORARY TABLE leftover (x INTEGER)", "INSERT INTO leftover VALUES (1)");
    }

    /** The server stays for the tests with the other driver. It ends with this process. */
    @Override
    public void close() {}
}
