package dev.reservoir.dsql.standard;

import dev.reservoir.dsql.connect.ConnectionOpener;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;

/** Opens the connections of HikariCP: with retries and at full speed during the warm-up, then at the keeper's pace. */
record PacedConnects(ConnectionOpener opener, PoolWarmup warmup, PoolKeeper keeper) {

    /** Returns a data source that connects, and that ignores every setting: HikariCP only sets a login timeout. */
    DataSource asDataSource() {
        return (DataSource) Proxy.newProxyInstance(
                PacedConnects.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getConnection" -> open(arguments != null);
                    case "getLoginTimeout" -> 0;
                    case "isWrapperFor" -> false;
                    case "unwrap" -> throw new SQLException("this data source wraps no other", "HY000");
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "toString" -> "PacedConnects[" + opener + "]";
                    default -> null;
                });
    }

    private Connection open(boolean asUser) throws SQLException {
        if (asUser) {
            throw new SQLFeatureNotSupportedException("connections log in with tokens of one user", "0A000");
        }
        if (!warmup.isOver()) {
            return warmup.open(opener::open);
        }
        try {
            keeper.awaitPace();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while waiting to connect", "08001", e);
        }
        return opener.open();
    }
}
