package dev.reservoir.remote.faults;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.model.RemoteDatabaseType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** PostgreSQL. */
final class PostgresFaultServer implements FaultServer {
    private static final int LIMIT = 12;
    private static final String OF_USERS = " FROM pg_stat_activity WHERE usename IN ('u1', 'u2', 'u3')";

    private final LocalPostgres postgres;

    private PostgresFaultServer(LocalPostgres postgres) {
        this.postgres = postgres;
    }

    static FaultServer start() throws SQLException {
        FaultServer server = new PostgresFaultServer(LocalPostgres.builder()
                .setting("max_connections", String.valueOf(LIMIT + 3))
                .setting("superuser_reserved_connections", "3")
                .start());
        for (String user : USERS) {
            server.execute("CREATE ROLE " + user + " LOGIN PASSWORD '" + PASSWORD + "'");
        }
        server.execute(
                "CREATE ROLE painter ROLE u1, u2, u3",
                "CREATE TABLE ledger (id INTEGER)",
                "GRANT ALL ON ledger TO PUBLIC",
                "CREATE SCHEMA other",
                "GRANT ALL ON SCHEMA other TO PUBLIC");
        return server;
    }

    @Override
    public RemoteDatabaseType type() {
        return RemoteDatabaseType.POSTGRESQL;
    }

    @Override
    public String driver() {
        return "postgresql";
    }

    @Override
    public int port() {
        return postgres.port();
    }

    @Override
    public String database() {
        return LocalPostgres.DATABASE;
    }

    @Override
    public Connection admin() throws SQLException {
        return postgres.dataSource().getConnection();
    }

    @Override
    public Connection asUser(String user) throws SQLException {
        return DriverManager.getConnection(postgres.urlWithoutUser(), user, PASSWORD);
    }

    @Override
    public void stop() {
        postgres.stop();
    }

    @Override
    public void startAgain() {
        postgres.startAgain();
    }

    @Override
    public String[] oneSecondOfNetwork() {
        return new String[] {"socketTimeout", "1"};
    }

    @Override
    public int limit() {
        return LIMIT;
    }

    @Override
    public void setPassword(String user, String password) throws SQLException {
        execute("ALTER ROLE " + user + " PASSWORD '" + password + "'");
    }

    @Override
    public String countSessions() {
        return "SELECT count(*)" + OF_USERS;
    }

    @Override
    public String countSlow() {
        return "SELECT count(*)" + OF_USERS + " AND state = 'active' AND query = '" + slow() + "'";
    }

    @Override
    public void kill(String user) throws SQLException {
        execute("SELECT pg_terminate_backend(pid)" + OF_USERS
                + (user.isEmpty() ? "" : " AND usename = '" + user + "'"));
    }

    @Override
    public String slow() {
        return "SELECT pg_sleep(30)";
    }

    @Override
    public String state() {
        return """
                SELECT concat_ws('/', current_user = session_user,
                    (SELECT count(*) FROM pg_class WHERE relnamespace = pg_my_temp_schema()),
                    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
                    (SELECT count(*) FROM pg_listening_channels()),
                    (SELECT count(*) FROM pg_prepared_statements WHERE from_sql),
                    (SELECT count(*) FROM pg_cursors WHERE is_holdable),
                    (SELECT string_agg(name || '=' || setting, ';' ORDER BY name) FROM pg_settings))""";
    }

    @Override
    public List<List<String>> settings() {
        return List.of(
                List.of("SET search_path = other", "SET work_mem = '7MB'"),
                List.of("SET TIME ZONE 'Asia/Tokyo'", "SET DateStyle = 'ISO, DMY'", "SET statement_timeout = 12345"),
                List.of("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE READ ONLY"),
                List.of("SET ROLE painter"),
                List.of("SELECT pg_try_advisory_lock(4711)", "LISTEN news"),
                List.of("PREPARE colour AS SELECT 1", "DECLARE numbers CURSOR WITH HOLD FOR SELECT 1"),
                List.of("SET application_name = 'somebody else'", "SET standard_conforming_strings = off"));
    }

    @Override
    public List<String> temporaryTable() {
        return List.of("CREATE TEMP TABLE leftover (x INTEGER)", "INSERT INTO leftover VALUES (1)");
    }

    @Override
    public void close() {
        postgres.close();
    }
}
