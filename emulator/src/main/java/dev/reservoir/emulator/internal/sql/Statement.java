package dev.reservoir.emulator.internal.sql;

import dev.reservoir.pgwire.PgError;
import org.jspecify.annotations.Nullable;

/**
 * One statement of a client's text.
 *
 * @param sql the text that PostgreSQL runs; as long as the client's text, so that positions in errors stay right
 * @param offset the position in the client's text at which it begins, in characters
 * @param kind its effect on a transaction
 * @param refusal the reason why DSQL refuses it, or null if DSQL accepts it
 * @param tag the command tag that the client gets, or null for the tag that PostgreSQL sends
 * @param usesSys whether it needs the schema {@code sys}
 * @param guard a check to make before it runs, or null
 */
public record Statement(
        String sql,
        int offset,
        Kind kind,
        @Nullable PgError refusal,
        @Nullable String tag,
        boolean usesSys,
        @Nullable Guard guard) {

    /**
     * A reason to refuse a statement that depends on the catalog.
     *
     * @param query returns a row if the reason applies
     * @param refusal the answer in that case
     */
    public record Guard(String query, PgError refusal) {}

    /** A statement that PostgreSQL runs and answers as written. */
    public Statement(String sql, int offset, Kind kind, @Nullable PgError refusal) {
        this(sql, offset, kind, refusal, null, false, null);
    }

    /** The statement as a job that returns one row with its id, or this statement if it is not a job. */
    public Statement asJob() {
        if (!usesSys || tag == null) {
            return this;
        }
        String words = "SELECT sys.run_async('" + sql.replace("'", "''") + "') AS job_id";
        return new Statement(words, offset, kind, refusal, tag, true, null);
    }

    public enum Kind {
        BEGIN,
        COMMIT,
        ROLLBACK,
        /** Changes the schema. */
        DDL,
        /** Changes rows. */
        DML,
        /** Reads rows and locks them. */
        LOCKING,
        /** Runs a statement that PREPARE has prepared and that may change rows. */
        EXECUTE,
        OTHER
    }
}
