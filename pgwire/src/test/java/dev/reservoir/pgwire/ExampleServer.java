package dev.reservoir.pgwire;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A server with an {@link ExampleHandler} for each session, and PostgreSQL's own driver as its client. */
final class ExampleServer implements AutoCloseable {
    static final String USER = "ann";
    static final String PASSWORD = "cor rect, horse=";

    final PgServer server;
    private final BlockingQueue<ExampleHandler> handlers = new LinkedBlockingQueue<>();

    private ExampleServer(UnaryOperator<PgServer.Builder> settings) {
        server = settings.apply(PgServer.builder(client -> {
                    ExampleHandler handler = new ExampleHandler(client);
                    handlers.add(handler);
                    return handler;
                }))
                .start();
    }

    /** A server with these settings. They decide about passwords. */
    static ExampleServer with(UnaryOperator<PgServer.Builder> settings) {
        return new ExampleServer(settings);
    }

    static ExampleServer withoutPassword() {
        return with(PgServer.Builder::withoutPassword);
    }

    static ExampleServer withPassword() {
        return with(builder -> builder.login(USER, PASSWORD));
    }

    /** The handler of the oldest session that this method has not returned yet. */
    ExampleHandler nextHandler() throws InterruptedException {
        ExampleHandler handler = handlers.poll(30, TimeUnit.SECONDS);
        if (handler == null) {
            throw new IllegalStateException("no session within 30 s");
        }
        return handler;
    }

    Connection connect() throws SQLException {
        return connect("");
    }

    /** A connection with more parameters of the driver, as {@code &name=value}. */
    Connection connect(String more) throws SQLException {
        return connect(USER, PASSWORD, more);
    }

    Connection connect(String user, String password, String more) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.port() + "/db?connectTimeout=30&socketTimeout=60" + more,
                properties);
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of all rows of a query. */
    static List<String> values(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
