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
 * @param tag what the client is to read when it has ended, null if that is what PostgreSQL says
 * @param usesSys whether it needs the schema {@code sys}
 * @param guard what else must be looked at before it is carried out, null if nothing
 */
public record Statement(
        String sql,
        int offset,
        Kind kind,
        @Nullable Problem refusal,
        @Nullable String tag,
        boolean usesSys,
        @Nullable Guard guard) {

    /**
     * A reason against a statement that only the catalog knows.
     *
     * @param query gives a row if it holds
     * @param refusal what to answer then
     */
    public record Guard(String query, Problem refusal) {}

    /** One that is carried out and answered as it stands. */
    public Statement(String sql, int offset, Kind kind, @Nullable Problem refusal) {
        this(sql, offset, kind, refusal, null, false, null);
    }

    /** The same as a job, which gives one row with its id; itself if it is none. */
    public Statement asJob() {
        if (!usesSys || tag == null) {
            return this;
        }
        String words = "SELECT sys.run_async('" + sql.replace("'", "''") + "') AS job_id";
        return new Statement(words, offset, kind, refusal, tag, true, null);
    }

    /** What a statement does to a transaction. */
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
        /** Carries out what PREPARE has prepared, which may change rows. */
        EXECUTE,
        OTHER
    }
}
