package dev.reservoir.pgwire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One statement of a session. It can be run several times. */
public interface PreparedQuery {

    /** The types of its parameters {@code $1}, {@code $2} and so on. A type that the client names takes precedence. */
    default List<PgType> parameterTypes() {
        return List.of();
    }

    /** The columns of its rows, or none if it returns no rows. */
    default List<Column> columns() {
        return List.of();
    }

    /**
     * Runs the statement.
     *
     * @param parameters a value for each of {@link #parameterTypes()}, as text
     * @throws PgException with the error that the client gets
     */
    QueryResult execute(List<@Nullable String> parameters) throws InterruptedException;
}
