package dev.reservoir.bench.dsql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A table of numbers, and a transaction that reads one and adds to it. */
final class Accounts {
    static final int ROWS = 20_000;

    /** Most rows in one INSERT. DSQL allows 3,000 rows in a transaction. */
    private static final int ROWS_AT_ONCE = 2_000;

    private Accounts() {}

    /** Creates the table and its rows, on one connection. */
    static void make(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount BIGINT NOT NULL)");
            for (int from = 0; from < ROWS; from += ROWS_AT_ONCE) {
                statement.execute("INSERT INTO accounts SELECT g, 0 FROM generate_series(" + from + ", "
                        + (from + ROWS_AT_ONCE - 1) + ") g");
            }
        }
    }

    /** Reads, works for {@code workMillis}, and writes. The caller commits. */
    static void addOne(Connection connection, int id, long workMillis) throws SQLException, InterruptedException {
        long amount;
        try (PreparedStatement select = connection.prepareStatement("SELECT amount FROM accounts WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet found = select.executeQuery()) {
                if (!found.next()) {
                    throw new IllegalStateException("bug: no account " + id);
                }
                amount = found.getLong(1);
            }
        }
        Thread.sleep(workMillis);
        try (PreparedStatement update = connection.prepareStatement("UPDATE accounts SET amount = ? WHERE id = ?")) {
            update.setLong(1, amount + 1);
            update.setInt(2, id);
            update.executeUpdate();
        }
    }
}
