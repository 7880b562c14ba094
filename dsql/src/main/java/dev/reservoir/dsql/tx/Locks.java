package dev.reservoir.dsql.tx;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows and locks them until the transaction commits.
 *
 * <p>Aurora DSQL accepts {@code FOR UPDATE} on one table at a time, with all columns of the primary key in the
 * condition. It has no shared locks. So a join that locks must be split in two: first the lock, then the plain read. In
 * Aurora DSQL no transaction waits for such a lock; of two transactions, the second one to commit fails with a
 * conflict. Every method blocks for the database.
 */
public final class Locks {
    /** Text that would add a locking clause or a second statement to the condition. */
    private static final Pattern NOT_IN_CONDITION =
            Pattern.compile("(?i);|\\bfor\\s+(no\\s+key\\s+update|update|key\\s+share|share)\\b");

    private Locks() {}

    /** Converts the current row to a value. */
    @FunctionalInterface
    public interface Row<T> {
        /** Reads the row, never as null, and leaves the cursor. JDBC reads NULL as 0: see {@link ResultSet#wasNull}. */
        T read(ResultSet row) throws SQLException;
    }

    /** The second half of a split read. */
    @FunctionalInterface
    public interface Next<L, R> {
        /** Reads the rows that belong to the locked value, without a lock. Blocks for the database. */
        R read(L locked) throws SQLException;
    }

    /**
     * Reads one row of one table with {@code FOR UPDATE}. Blocks for the database.
     *
     * @param tx a connection in a transaction
     * @param table the name of one table; anything else is rejected, so that only one table is locked
     * @param columns the columns to select
     * @param where the condition, with a {@code ?} for each argument
     * @param arguments the parameters of the condition, in order
     * @return the value of the row, or empty if there is none; if several rows match, all are locked and the first one
     *     is read
     */
    public static <T> Optional<T> forUpdate(
            Connection tx, String table, String columns, String where, List<?> arguments, Row<T> row)
            throws SQLException {
        if (NOT_IN_CONDITION.matcher(where).find()) {
            throw new IllegalArgumentException(
                    "where is \"" + where + "\"; allowed: a condition alone, without a locking clause or ;");
        }
        String sql =
                "SELECT " + columns + " FROM " + Fenced.checked("table", table) + " WHERE " + where + " FOR UPDATE";
        return one(tx, sql, arguments, row);
    }

    /**
     * Performs a split read: it locks a row of one table, then reads another table without a lock. The second read
     * gives the same result as a locking read if every writer of the second table also changes or locks the first row.
     * Blocks for the database.
     *
     * @param lock reads the first row, usually with {@link #forUpdate}
     * @param next reads the rows that belong to it
     * @return the result of the second read, or empty if the first read found nothing
     */
    public static <L, R> Optional<R> split(Locked<L> lock, Next<L, R> next) throws SQLException {
        Optional<L> locked = lock.read();
        return locked.isEmpty() ? Optional.empty() : Optional.of(next.read(locked.get()));
    }

    /** The first half of a split read. */
    @FunctionalInterface
    public interface Locked<L> {
        /** Locks and reads the first row. Blocks for the database. */
        Optional<L> read() throws SQLException;
    }

    /** Reads the first row of the result without a lock, or empty if there is none. Blocks for the database. */
    public static <T> Optional<T> one(Connection tx, String sql, List<?> arguments, Row<T> row) throws SQLException {
        try (PreparedStatement statement = tx.prepareStatement(sql)) {
            bind(statement, arguments);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? Optional.of(row.read(result)) : Optional.empty();
            }
        }
    }

    static void bind(PreparedStatement statement, List<? extends @Nullable Object> arguments) throws SQLException {
        for (int i = 0; i < arguments.size(); i++) {
            statement.setObject(i + 1, arguments.get(i));
        }
    }
}
