package dev.reservoir.dsql.connect;

import dev.reservoir.dsql.DsqlDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;

/** What stands behind a {@link DsqlDataSource} in one of its modes. */
public interface BackingPool extends AutoCloseable {

    /** Lends a connection; may block. */
    Connection getConnection() throws SQLException;

    /** Every number under the name that it has as a metric. */
    Map<String, Double> metrics();

    /** The pool's own data source. */
    DataSource dataSource();

    /** Closes all connections. Blocks. */
    @Override
    void close();
}
