package dev.reservoir.pgwire;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a statement: rows, or only a command tag. The server takes the rows one by one, as the client reads
 * them, on the threads that call the {@link QueryHandler}.
 *
 * @param tag the command tag, for a query without the count of its rows
 * @param rows the rows, or null if the statement has none
 */
public record QueryResult(String tag, @Nullable Iterator<List<@Nullable String>> rows) {
    private static final String SELECT = "SELECT";

    /** A statement without rows, such as {@code SET}. */
    public static QueryResult command(String tag) {
        return new QueryResult(tag, null);
    }

    /** The rows of a query. A row has a value for each column of its {@link PreparedQuery}, as text. */
    public static QueryResult select(Iterable<List<@Nullable String>> rows) {
        return new QueryResult(SELECT, rows.iterator());
    }

    /** Rows of a statement that is no query, such as {@code SHOW}, which is also its command tag. */
    public static QueryResult rows(String tag, Iterable<List<@Nullable String>> rows) {
        return new QueryResult(tag, rows.iterator());
    }

    /** The command tag after this many rows. */
    public String tag(long count) {
        return tag.equals(SELECT) ? SELECT + " " + count : tag;
    }
}
