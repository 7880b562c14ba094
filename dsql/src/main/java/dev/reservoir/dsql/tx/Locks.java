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
 * Reads that hold what they have read until the transaction is committed. Aurora DSQL takes {@code FOR UPDATE} on one table at a time, with all
 * columns of the primary key in the condition, and knows no lock for sharing: so a join that used to lock is split in two, the lock first and
 * the plain read after it. There it locks nothing that others would wait for: who commits second meets a conflict. Blocks for the
 * database.
 */
public final class Locks {
    private static final Pattern NOT_IN_CONDITION =
            Pattern.compile("(?i);|\\bfor\\s+(no\\s+key\\s+update|update|key\\s+share|share)\\b");

    private Locks() {}

    /** Makes something of the current row. */
    @FunctionalInterface
    public interface Row<T> {
        /** Reads the row; must not move on, and makes no null of it. A NULL read as a number is 0: ask {@link ResultSet#wasNull}. */
        T read(ResultSet row) throws SQLException;
    }

    /** Reads on with what was locked. */
    @FunctionalInterface
    public interface Next<L, R> {
        /** Reads what belongs to it, without a lock. */
        R read(L locked) throws SQLException;
    }

    /**
     * Reads one row of one table for update.
     *
     * @param tx a connection in a transaction
     * @param table one table's name; nothing else is taken, so that it is one table
     * @param columns what to select
     * @param where the condition, with a {@code ?} for each argument
     * @param arguments the condition's parameters, in their order
     * @return what was made of the row, or nothing if there is none; of several rows the first, and all are held
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
     * The split read: what one table says is locked, then the other is read without a lock. What is read there is the same as with a lock
     * as long as whoever changes it changes or locks the first row, too.
     *
     * @param lock reads the first row, mostly by {@link #forUpdate}
     * @param next reads what belongs to it
     * @return what the second read makes of both, or nothing if the first found nothing
     */
    public static <L, R> Optional<R> split(Locked<L> lock, Next<L, R> next) throws SQLException {
        Optional<L> locked = lock.read();
        return locked.isEmpty() ? Optional.empty() : Optional.of(next.read(locked.get()));
    }

    /** The first half of a split read. */
    @FunctionalInterface
    public interface Locked<L> {
        /** Locks and reads. */
        Optional<L> read() throws SQLException;
    }

    /** Reads one row without a lock: the first of several, or nothing. */
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
