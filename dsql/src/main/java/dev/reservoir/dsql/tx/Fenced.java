package dev.reservoir.dsql.tx;

import dev.reservoir.dsql.error.ConditionFailedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compare-and-set on one table whose rows carry a fencing token. The token is a number that grows whenever a row gets a
 * new owner. An update names the token that it expects, and changes nothing if the row has another token:
 *
 * <pre>{@code
 * Fenced shards = Fenced.table("shards").key("shard_id").token("range_id");
 * long mine = shards.autoUpdate(tx, List.of(7), Map.of("owner", "history-3"));   // takes it: token + 1
 * shards.update(tx, List.of(7), mine, mine, Map.of("data", bytes));               // keeps it
 * shards.lock(tx, List.of(7), mine);                                              // holds it until the commit
 * }</pre>
 *
 * <p>It never retries. A {@link ConditionFailedException} means that another process is the owner. {@link Transactions}
 * handles conflicts with concurrent transactions. Every method that takes a connection blocks for the database.
 * Immutable.
 */
public final class Fenced {
    /** Names that are safe in SQL text without quotes, with an optional schema. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");

    private final String table;
    private final List<String> keys;
    private final String token;

    private Fenced(String table, List<String> keys, String token) {
        this.table = table;
        this.keys = keys;
        this.token = token;
    }

    /** Starts the description of a table. The caller names the key and the token next. Does not block. */
    public static Table table(String name) {
        return new Table(checked("table", name));
    }

    /** A table whose token column is not known yet. */
    public static final class Table {
        private final String table;
        private final List<String> keys = new ArrayList<>();

        private Table(String table) {
            this.table = table;
        }

        /** Adds columns of the primary key. All of its columns are required. */
        public Table key(String... columns) {
            for (String column : columns) {
                keys.add(checked("key", column));
            }
            return this;
        }

        /** Sets the numeric column that holds the token. */
        public Fenced token(String column) {
            if (keys.isEmpty()) {
                throw new IllegalStateException("key of " + table + " is missing; allowed: at least one column");
            }
            return new Fenced(table, List.copyOf(keys), checked("token", column));
        }
    }

    static String checked(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    what + " is \"" + name + "\"; allowed: a name of letters, digits and _, optionally after a schema");
        }
        return name;
    }

    /**
     * Runs an update whose condition contains the token. This is the general form, for statements that the other
     * methods do not cover. Blocks for the database.
     *
     * @param sql an update or delete with {@code AND token = ?} in its condition
     * @param arguments the parameters, in order
     * @param entity the entity that the statement changes, for the message, such as {@code task queue 4}
     * @param expectedToken the token among the parameters, for the message
     * @return the number of changed rows, at least one
     * @throws ConditionFailedException if no row was changed
     */
    public static int update(
            Connection connection,
            String sql,
            List<? extends @Nullable Object> arguments,
            String entity,
            Object expectedToken)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Locks.bind(statement, arguments);
            int rows = statement.executeUpdate();
            if (rows == 0) {
                throw new ConditionFailedException(entity, expectedToken);
            }
            return rows;
        }
    }

    /**
     * Changes a row if it has the expected token. Blocks for the database.
     *
     * @param key the values of the key columns, in order
     * @param expectedToken the token that the row must have
     * @param newToken the token after the update; the same to keep the row, a larger one to take it over
     * @param changes the new values by column, without the token column; may be empty
     * @throws ConditionFailedException if the row has another token or does not exist
     */
    public void update(
            Connection connection,
            List<?> key,
            long expectedToken,
            long newToken,
            Map<String, ? extends @Nullable Object> changes)
            throws SQLException {
        Map<String, @Nullable Object> set = new LinkedHashMap<>();
        set.put(token, newToken);
        changes.forEach((column, value) -> set.put(checkedChange(column), value));
        String sql = "UPDATE " + table + " SET "
                + set.keySet().stream().map(column -> column + " = ?").collect(Collectors.joining(", "))
                + " WHERE " + condition() + " AND " + token + " = ?";
        List<@Nullable Object> arguments = new ArrayList<>(set.values());
        arguments.addAll(checkedKey(key));
        arguments.add(expectedToken);
        update(connection, sql, arguments, entity(key), expectedToken);
    }

    /**
     * Takes a row over. It reads the row's token, and changes the row only if the token is still the same. That also
     * works outside a transaction. Blocks for the database.
     *
     * @return the new token of the row, which is the old one plus one
     * @throws ConditionFailedException if another process was faster, or the row does not exist or has no token
     */
    public long autoUpdate(Connection connection, List<?> key, Map<String, ? extends @Nullable Object> changes)
            throws SQLException {
        OptionalLong current = read(connection, key);
        if (current.isEmpty()) {
            throw new ConditionFailedException(entity(key), "", "there is no such row");
        }
        long next = Math.addExact(current.getAsLong(), 1);
        update(connection, key, current.getAsLong(), next, changes);
        return next;
    }

    /**
     * Returns the token of a row, or empty if there is no such row. Locks nothing, so the token may change before the
     * transaction commits. Blocks for the database.
     *
     * @throws ConditionFailedException if the row's token is NULL
     */
    public OptionalLong read(Connection connection, List<?> key) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT " + token + " FROM " + table + " WHERE " + condition())) {
            Locks.bind(statement, checkedKey(key));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? OptionalLong.of(token(row, key)) : OptionalLong.empty();
            }
        }
    }

    /**
     * Checks that a row has the expected token, and locks it until the transaction commits. If another transaction
     * takes the row over meanwhile, one of the two fails with a conflict. Reading the token is not enough, because a
     * transaction that only reads a row does not conflict with one that changes it. Blocks for the database.
     *
     * @throws ConditionFailedException if the row has another token or none, or does not exist
     */
    public void lock(Connection connection, List<?> key, long expectedToken) throws SQLException {
        Long found = Locks.forUpdate(connection, table, token, condition(), checkedKey(key), row -> token(row, key))
                .orElse(null);
        if (found == null || found != expectedToken) {
            throw new ConditionFailedException(entity(key), expectedToken);
        }
    }

    /** Reads the token. JDBC reads a NULL as 0, and 0 may be a valid token. */
    private long token(ResultSet row, List<?> key) throws SQLException {
        long found = row.getLong(1);
        if (row.wasNull()) {
            // NULL is not the token 0.
            throw new ConditionFailedException(entity(key), "", "its fencing token is NULL, so no process can own it");
        }
        return found;
    }

    private String checkedChange(String column) {
        if (checked("column", column).equalsIgnoreCase(token)) {
            throw new IllegalArgumentException("column of " + table + " to change is \"" + column
                    + "\"; allowed: any except the token's, which only newToken changes");
        }
        return column;
    }

    private String condition() {
        return keys.stream().map(column -> column + " = ?").collect(Collectors.joining(" AND "));
    }

    private List<?> checkedKey(List<?> key) {
        if (key.size() != keys.size()) {
            throw new IllegalArgumentException(
                    "key of " + table + " is " + key + "; allowed: one value for each of " + keys);
        }
        return key;
    }

    private String entity(List<?> key) {
        return table + " " + key;
    }
}
