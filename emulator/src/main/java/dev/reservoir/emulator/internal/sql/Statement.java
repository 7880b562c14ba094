package dev.reservoir.emulator.internal.sql;

import dev.reservoir.emulator.internal.wire.Problem;
import org.jspecify.annotations.Nullable;

/**
 * One statement of a text.
 *
 * @param sql what PostgreSQL is to carry out; as long as what the client wrote, so that positions in errors stay right
 * @param offset where it begins in the client's text, in characters
 * @param kind what it does to a transaction
 * @param refusal why DSQL would not take it, null if it would
 */
public record Statement(
        String sql, int offset, Kind kind, @Nullable Problem refusal) {

    /** What a statement does to a transaction. */
    public enum Kind {
        BEGIN,
        COMMIT,
        ROLLBACK,
        /** Changes the schema. */
        DDL,
        /** Changes rows. */
        DML,
        OTHER
    }
}
