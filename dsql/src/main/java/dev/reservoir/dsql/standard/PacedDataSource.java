package dev.reservoir.dsql.standard;

import dev.reservoir.dsql.connect.PlainDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;

/**
 * The data source from which HikariCP opens its connections. During the warm-up it opens at full speed and retries.
 * Afterwards it opens at the pace of the keeper.
 */
final class PacedDataSource extends PlainDataSource {
    private final DataSource inner;
    private final PoolWarmup warmup;
    private final PoolKeeper keeper;

    PacedDataSource(DataSource inner, PoolWarmup warmup, PoolKeeper keeper) {
        this.inner = inner;
        this.warmup = warmup;
        this.keeper = keeper;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (!warmup.isOver()) {
            return warmup.open(inner::getConnection);
        }
        try {
            keeper.awaitTurn();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while waiting for a turn to connect", "08001", e);
        }
        return inner.getConnection();
    }

    @Override
    public String toString() {
        return inner.toString();
    }
}
