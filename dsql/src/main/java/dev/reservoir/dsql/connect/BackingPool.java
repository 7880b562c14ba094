package dev.reservoir.dsql.connect;

import dev.reservoir.dsql.DsqlDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;

/** The pool behind a {@link DsqlDataSource}, in one of its modes. */
public interface BackingPool extends AutoCloseable {

    /** Acquires a connection. May block. */
    Connection getConnection() throws SQLException;

    /** Returns all values, each under its metric name. Does not block. */
    Map<String, Double> metrics();

    /** The pool's own data source. */
    DataSource dataSource();

    /** Closes all connections. Blocks. */
    @Override
    void close();
}
