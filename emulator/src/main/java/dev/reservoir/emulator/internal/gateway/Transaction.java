package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.pgwire.PgError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The work of one transaction so far, as far as DSQL counts it. Used only on its session's event loop. */
final class Transaction {
    private static final String OVER = "54000";

    final long begunAtMillis;
    final long schemaVersion;

    /** Number of transactions that had committed row changes when this one began. */
    final long changesBefore;

    /** Whether BEGIN started it. If not, it covers one statement, or all statements up to a Sync. */
    boolean explicit;

    boolean failed;

    /** The reason why it was ended, if the client has not been told yet. */
    @Nullable
    PgError unseen;

    private boolean ddl;
    private boolean dml;
    private long rows;
    private long bytes;

    Transaction(long nowMillis, long schemaVersion, long changesBefore) {
        begunAtMillis = nowMillis;
        this.schemaVersion = schemaVersion;
        this.changesBefore = changesBefore;
    }

    boolean changesSchema() {
        return ddl && !failed;
    }

    boolean changesRows() {
        return dml && !failed;
    }

    /** The reason why a statement may not follow those before it, or null. */
    @Nullable
    PgError mixed(Statement.Kind kind) {
        if (kind == Statement.Kind.DDL && ddl) {
            return PgError.error("0A000", "multiple ddl statements not supported in a transaction");
        }
        boolean mixed = (kind == Statement.Kind.DDL && dml) || (kind == Statement.Kind.DML && ddl);
        return mixed ? PgError.error("0A000", "ddl and dml are not supported in the same transaction") : null;
    }

    void runs(Statement.Kind kind) {
        ddl |= kind == Statement.Kind.DDL;
        dml |= kind == Statement.Kind.DML;
    }

    boolean counts(Statement.Kind kind, String tag) {
        boolean changes = tag.startsWith("INSERT ") || tag.startsWith("UPDATE ") || tag.startsWith("DELETE ");
        return kind == Statement.Kind.DML || (kind == Statement.Kind.EXECUTE && changes);
    }

    void changed(long moreRows, long moreBytes) {
        rows += moreRows;
        bytes += moreBytes;
    }

    /** The limit that the transaction exceeds, or null. */
    @Nullable
    PgError over(Limits limits, long nowMillis) {
        if (rows > limits.transactionRows()) {
            return PgError.error(OVER, "transaction row limit exceeded");
        }
        if (bytes > limits.transactionBytes()) {
            return PgError.error(OVER, "transaction size limit " + size(limits.transactionBytes()) + " exceeded");
        }
        return isOld(limits, nowMillis) ? tooOld(limits) : null;
    }

    boolean isOld(Limits limits, long nowMillis) {
        return nowMillis - begunAtMillis > limits.transactionAge().toMillis();
    }

    static PgError tooOld(Limits limits) {
        return PgError.error(OVER, "transaction age limit of " + age(limits.transactionAge()) + " exceeded");
    }

    private static String size(long bytes) {
        return bytes % (1 << 20) == 0 ? (bytes >> 20) + "mb" : bytes + "b";
    }

    private static String age(Duration age) {
        return age.toMillis() % 1000 == 0 ? age.toSeconds() + "s" : age.toMillis() + "ms";
    }
}
