package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.pgwire.message.ClientMessages;

/**
 * One execution that a client requests, with all that is needed to request it again. The arrays are never changed.
 *
 * @param statement the statement
 * @param types the part of its Parse after the SQL: the types of the parameters
 * @param values the part of its Bind after the names: formats and parameters
 * @param rows the most rows that the client requests, or 0 for all
 * @param continues whether it continues a portal that was executed before
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Call(Statement statement, byte[] types, byte[] values, int rows, boolean continues) {
    private static final byte[] NO_TYPES = ClientMessages.noTypes();
    private static final byte[] NO_VALUES = ClientMessages.noValues();

    public static final Call NONE = plain(new Statement("", 0, Statement.Kind.OTHER, null));

    /** A statement of a simple query. */
    public static Call plain(Statement statement) {
        return new Call(statement, NO_TYPES, NO_VALUES, 0, false);
    }

    public Statement.Kind kind() {
        return statement.kind();
    }

    public String sql() {
        return statement.sql();
    }

    /** The length of the statement together with its parameters. */
    public long bytes() {
        return statement.sql().length() + (long) values.length;
    }
}
