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
 * Compare-and-set on one table whose rows carry a fencing token, a number that grows whenever a row changes hands. An update names the token
 * that it believes in, and changes nothing if another is found:
 *
 * <pre>{@code
 * Fenced shards = Fenced.table("shards").key("shard_id").token("range_id");
 * long mine = shards.autoUpdate(tx, List.of(7), Map.of("owner", "history-3"));   // takes it: token + 1
 * shards.update(tx, List.of(7), mine, mine, Map.of("data", bytes));               // keeps it
 * shards.lock(tx, List.of(7), mine);                                              // holds it until the commit
 * }</pre>
 *
 * <p>It never retries: a {@link ConditionFailedException} means that somebody else is the owner. Conflicts with transactions that run at the
 * same time are the affair of {@link Transactions}. Every method that takes a connection blocks for the database. Immutable.
 */
public final class Fenced {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");

    private final String table;
    private final List<String> keys;
    private final String token;

    private Fenced(String table, List<String> keys, String token) {
        this.table = table;
        this.keys = keys;
        this.token = token;
    }

    /** A table, whose key and token are to be named next. */
    public static Table table(String name) {
        return new Table(checked("table", name));
    }

    /** A table of which it is not known yet where its tokens are. */
    public static final class Table {
        private final String table;
        private final List<String> keys = new ArrayList<>();

        private Table(String table) {
            this.table = table;
        }

        /** The columns of its primary key, all of them. */
        public Table key(String... columns) {
            for (String column : columns) {
                keys.add(checked("key", column));
            }
            return this;
        }

        /** The column of the token, a number. */
        public Fenced token(String column) {
            if (keys.isEmpty()) {
                throw new IllegalStateException("key of " + table + " is missing; allowed: at least one column");
            }
            return new Fenced(table, List.copyOf(keys), checked("token", column));
        }
    }

    static String checked(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(what + " is \"" + name
                    + "\"; allowed: a name of letters, digits and _, with a schema before it if need be");
        }
        return name;
    }

    /**
     * The general form, for every other case: runs an update whose condition holds the token.
     *
     * @param sql an update or delete with {@code AND token = ?} in its condition
     * @param arguments its parameters, in their order
     * @param entity what it changes, for the message, such as {@code task queue 4}
     * @param expectedToken the token among the parameters, for the message
     * @return how many rows it changed, at least one
     * @throws ConditionFailedException if it changed none
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
     * Changes a row if it has the expected token.
     *
     * @param key values of the key's columns, in their order
     * @param expectedToken which it must have
     * @param newToken which it has afterwards; the same to keep the row, a greater one to take it over
     * @param changes new values by column, without that of the token; may be empty
     * @throws ConditionFailedException if it has another, or is not there
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
     * Takes a row over: reads its token and changes the row under the condition that it has not changed since, which also holds outside a
     * transaction.
     *
     * @return the token that it has now, which is the old one plus one
     * @throws ConditionFailedException if somebody else was faster, or the row is not there or has no token
     */
    public long autoUpdate(Connection connection, List<?> key, Map<String, ? extends @Nullable Object> changes)
            throws SQLException {
        OptionalLong current = read(connection, key);
        if (current.isEmpty()) {
            throw ConditionFailedException.missing(entity(key));
        }
        long next = Math.addExact(current.getAsLong(), 1);
        update(connection, key, current.getAsLong(), next, changes);
        return next;
    }

    /**
     * The token of a row, or nothing if there is no such row. Holds nothing: it may be another before the transaction is committed.
     *
     * @throws ConditionFailedException if the row has no token, but NULL
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
     * Makes sure that a row has the expected token and keeps it until the transaction is committed: if anybody takes the row over
     * meanwhile, this transaction or the other meets a conflict. To only read the token would not do: a transaction that reads what another
     * changes conflicts with nothing.
     *
     * @throws ConditionFailedException if it has another or none, or is not there
     */
    public void lock(Connection connection, List<?> key, long expectedToken) throws SQLException {
        Long found = Locks.forUpdate(connection, table, token, condition(), checkedKey(key), row -> token(row, key))
                .orElse(null);
        if (found == null || found != expectedToken) {
            throw new ConditionFailedException(entity(key), expectedToken);
        }
    }

    /** JDBC reads a NULL as 0, and 0 may be somebody's token. */
    private long token(ResultSet row, List<?> key) throws SQLException {
        long found = row.getLong(1);
        if (row.wasNull()) {
            throw ConditionFailedException.withoutToken(entity(key));
        }
        return found;
    }

    private String checkedChange(String column) {
        if (checked("column", column).equalsIgnoreCase(token)) {
            throw new IllegalArgumentException("column of " + table + " to change is \"" + column
                    + "\"; allowed: any but that of the token, which is changed by newToken alone");
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
