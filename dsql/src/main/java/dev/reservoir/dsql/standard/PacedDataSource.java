package dev.reservoir.dsql.standard;

import dev.reservoir.dsql.connect.PlainDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;

/** What a pool opens its connections from: at full speed and with retries during the warm-up, at the keeper's pace after it. */
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
