package dev.reservoir.remote.sys;

import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.sql.lexer.CatalogLexer;
import dev.reservoir.remote.sql.lexer.CatalogToken;
import dev.reservoir.remote.sql.lexer.CatalogToken.Kind;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A private database in memory for one session. Before a query, the tables that it names are filled from the source. So
 * a query sees one state, also if it reads a view twice, and no session sees or blocks another.
 *
 * <p>Queries run as a user that may only read these tables. H2 lets such a user neither touch files nor define
 * functions. {@link #check} lets through single queries only.
 */
final class SysEngine implements AutoCloseable {
    private static final String DRIVER = "org.h2.Driver";
    private static final String ARTIFACT = "com.h2database:h2";
    private static final Set<String> QUERIES = Set.of("SELECT", "VALUES", "TABLE", "WITH", "SHOW", "EXPLAIN");

    /** Bounds the names that are looked for in a query. */
    private static final int TOKENS_MAX = 100_000;

    private final SysSource source;

    /** Fills the tables. Guarded by itself. */
    private final Connection loader;

    private final Connection reader;

    private SysEngine(SysSource source, Connection loader, Connection reader) {
        this.source = source;
        this.loader = loader;
        this.reader = reader;
    }

    /** Creates a database. Takes milliseconds, the first time some hundred. */
    static SysEngine open(SysSource source) throws SQLException {
        String url = "jdbc:h2:mem:reservoir-sys-" + UUID.randomUUID()
                + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH;DB_CLOSE_ON_EXIT=FALSE"
                + ";TIME ZONE=UTC";
        String password = UUID.randomUUID().toString();
        Driver driver = driver();
        Connection loader = connect(driver, url, "loader", password);
        try {
            create(loader, password);
            return new SysEngine(source, loader, connect(driver, url, "reader", password));
        } catch (SQLException e) {
            loader.close();
            throw e;
        }
    }

    private static Driver driver() throws RemoteException {
        try {
            return Class.forName(DRIVER)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ClassNotFoundException e) {
            throw new RemoteException(
                    RemoteErrorCode.CONNECTION_FAILED,
                    "the views need the database H2, and " + DRIVER + " is not there; add the artifact " + ARTIFACT,
                    e);
        } catch (InstantiationException
                | IllegalAccessException
                | InvocationTargetException
                | NoSuchMethodException e) {
            throw new RemoteException(RemoteErrorCode.CONNECTION_FAILED, DRIVER + " cannot be used", e);
        }
    }

    private static Connection connect(Driver driver, String url, String user, String password) throws SQLException {
        Properties login = new Properties();
        login.setProperty("user", user);
        login.setProperty("password", password);
        return driver.connect(url, login);
    }

    private static void create(Connection loader, String password) throws SQLException {
        try (Statement statement = loader.createStatement()) {
            statement.execute("CREATE SCHEMA " + SysViews.SCHEMA);
            for (SysView<?> view : SysViews.all()) {
                String columns = view.columns().stream()
                        .map(column -> "\"" + column.name() + "\" " + column.type())
                        .collect(Collectors.joining(", "));
                statement.execute("CREATE TABLE " + table(view) + " (" + columns + ")");
            }
            PgCatalog.create(loader);
            statement.execute("CREATE USER reader PASSWORD '" + password + "'");
            statement.execute("GRANT SELECT ON SCHEMA " + SysViews.SCHEMA + " TO reader");
            statement.execute("GRANT SELECT ON SCHEMA " + PgCatalog.SCHEMA + " TO reader");
        }
        loader.setAutoCommit(false);
    }

    private static String table(SysView<?> view) {
        return SysViews.SCHEMA + "." + view.name();
    }

    /** The connection for queries. It can only read. */
    Connection reader() {
        return reader;
    }

    /** Refuses everything but one query. */
    static void check(String sql) throws RemoteException {
        CatalogLexer lexer = new CatalogLexer(sql);
        CatalogToken first = lexer.next();
        for (int i = 0; i < TOKENS_MAX && first.isSymbol('('); i++) {
            first = lexer.next();
        }
        if (first.kind() != Kind.WORD || !QUERIES.contains(first.text().toUpperCase(Locale.ROOT))) {
            throw new RemoteException(
                    RemoteErrorCode.SYNTAX_ERROR,
                    "found " + first.shown() + "; expected: SELECT, VALUES, TABLE, WITH, SHOW or EXPLAIN; or CREATE,"
                            + " ALTER or DROP with SERVER or USER MAPPING; or CALL");
        }
        boolean ended = false;
        for (CatalogToken token = lexer.next(); token.kind() != Kind.END; token = lexer.next()) {
            if (ended) {
                throw new RemoteException(
                        RemoteErrorCode.SYNTAX_ERROR,
                        "line " + token.line() + ", column " + token.column()
                                + ": a second statement begins; expected: one query at a time");
            }
            ended = token.isSymbol(';');
        }
    }

    /** Fills the tables that the query names. */
    void refresh(String sql) throws SQLException {
        Set<String> names = names(sql);
        synchronized (loader) {
            for (SysView<?> view : SysViews.all()) {
                if (names.contains(view.name())) {
                    fill(view);
                }
            }
            loader.commit();
        }
    }

    private static Set<String> names(String sql) {
        Set<String> names = new HashSet<>();
        CatalogLexer lexer = new CatalogLexer(sql);
        CatalogToken token = lexer.next();
        for (int i = 0; i < TOKENS_MAX && token.kind() != Kind.END; i++) {
            if (token.isIdentifier()) {
                names.add(token.text().toLowerCase(Locale.ROOT));
            }
            token = lexer.next();
        }
        return names;
    }

    private void fill(SysView<?> view) throws SQLException {
        String places = view.columns().stream().map(column -> "?").collect(Collectors.joining(", "));
        try (Statement clear = loader.createStatement();
                PreparedStatement insert =
                        loader.prepareStatement("INSERT INTO " + table(view) + " VALUES (" + places + ")")) {
            clear.execute("DELETE FROM " + table(view));
            for (List<?> row : view.values(source)) {
                for (int i = 0; i < row.size(); i++) {
                    insert.setObject(i + 1, row.get(i));
                }
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    @Override
    public void close() throws SQLException {
        try (loader) {
            reader.close();
        }
    }
}
