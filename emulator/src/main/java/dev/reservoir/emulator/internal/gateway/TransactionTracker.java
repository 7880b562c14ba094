package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.pgwire.PgError;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the transaction of one session: what it has done, and how DSQL would answer. It knows only the statements that
 * end and the states that the server reports. Used only on the session's event loop, except for {@link #isDue}.
 */
final class TransactionTracker {
    static final PgError SCHEMA_CHANGED =
            PgError.error("40001", "schema has been updated by another transaction, please retry: (OC001)");

    private final Emulation emulation;
    private final long openedAtMillis;
    private @Nullable Transaction transaction;

    /**
     * Start of the open transaction that can become too old while the client is idle, or 0 if there is none. Other
     * threads read it.
     */
    private volatile long explicitSinceMillis;

    TransactionTracker(Emulation emulation) {
        this.emulation = emulation;
        openedAtMillis = emulation.clock.millis();
    }

    private Transaction running() {
        Transaction running = transaction;
        if (running == null) {
            running = new Transaction(emulation.clock.millis(), emulation.schemaVersion.get(), emulation.changes.get());
            transaction = running;
        }
        return running;
    }

    /** Records that a statement runs, or returns the reason to refuse it. */
    @Nullable
    PgError begin(Kind kind) {
        Transaction running = running();
        PgError refusal = running.failed || kind == Kind.ROLLBACK ? null : refusal(kind, running);
        if (refusal == null) {
            running.runs(kind);
        }
        return refusal;
    }

    private @Nullable PgError refusal(Kind kind, Transaction running) {
        if (emulation.faults.unavailable) {
            return unavailable();
        }
        Limits limits = emulation.limits();
        if (running.isOld(limits, emulation.clock.millis())) {
            return Transaction.tooOld(limits);
        }
        if (running.explicit && running.schemaVersion != emulation.schemaVersion.get()) {
            return SCHEMA_CHANGED;
        }
        return running.mixed(kind);
    }

    private static PgError unavailable() {
        return PgError.error("XX000", "server unavailable");
    }

    /** Whether a transaction that BEGIN started is still open. */
    boolean isExplicit() {
        return transaction != null && transaction.explicit;
    }

    boolean isFailed() {
        return transaction != null && transaction.failed;
    }

    /** Whether another transaction has committed row changes since this one began. */
    boolean othersChangedRows() {
        return transaction != null && transaction.changesBefore != emulation.changes.get();
    }

    /**
     * Records the successful end of a statement. Returns the error that the client gets instead, or null if it gets the
     * real answer. An error replaces the answer if a fault hides the commit, or if the transaction was ended before.
     */
    @Nullable
    PgError ended(Kind kind, String tag) {
        Transaction ended = transaction;
        switch (tag) {
            case "BEGIN", "START TRANSACTION" -> running().explicit = true;
            case "COMMIT" -> {
                reported('I');
                return emulation.faults.unavailableAfterCommit ? unavailable() : null;
            }
            case "ROLLBACK" -> {
                transaction = null;
                return ended != null && kind == Kind.COMMIT ? ended.unseen : null;
            }
            default -> {
                // Other tags do not start or end a transaction.
            }
        }
        return null;
    }

    /** Counts the changes of a statement. Returns the limit that its transaction now exceeds, or null. */
    @Nullable
    PgError counted(Kind kind, String tag, long bytes) {
        Transaction running = transaction;
        if (running == null || running.failed) {
            return null;
        }
        if (running.counts(kind, tag)) {
            running.runs(Kind.DML);
            running.changed(rows(tag), bytes);
        }
        return running.over(emulation.limits(), emulation.clock.millis());
    }

    /** The row count of a command tag such as {@code INSERT 0 5}. */
    private static long rows(String tag) {
        String last = tag.substring(tag.lastIndexOf(' ') + 1);
        return last.matches("\\d{1,18}") ? Long.parseLong(last) : 0;
    }

    void failed() {
        if (transaction != null) {
            transaction.failed = true;
        }
    }

    /** The transaction was rolled back in place of a commit. */
    void rolledBack() {
        transaction = null;
    }

    /** The transaction was ended, and the client has not been told why. */
    void endedUnseen(PgError why) {
        if (transaction != null) {
            transaction.unseen = why;
        }
    }

    /** The reason for the end of the transaction, if the client has not been told yet. Returned only once. */
    @Nullable
    PgError unseen() {
        PgError why = transaction == null ? null : transaction.unseen;
        if (transaction != null) {
            transaction.unseen = null;
        }
        return why;
    }

    /** Records the transaction status that the server reports: idle, in a transaction, or failed. */
    void reported(char status) {
        if (status == 'I') {
            if (transaction != null && transaction.changesSchema()) {
                emulation.schemaVersion.incrementAndGet();
            }
            if (transaction != null && transaction.changesRows()) {
                emulation.changes.incrementAndGet();
            }
            transaction = null;
            explicitSinceMillis = 0;
            return;
        }
        Transaction running = running();
        running.explicit = true;
        running.failed |= status == 'E';
        explicitSinceMillis = running.failed ? 0 : running.begunAtMillis;
    }

    // Time limits.

    /** Whether the age of the session or of its transaction requires an action. Any thread may call it. */
    boolean isDue(long nowMillis, Limits limits) {
        long since = explicitSinceMillis;
        return isAged(nowMillis, limits)
                || (since != 0 && nowMillis - since > limits.transactionAge().toMillis());
    }

    private boolean isAged(long nowMillis, Limits limits) {
        return nowMillis - openedAtMillis >= limits.maxAge().toMillis();
    }

    /** Whether the session must be closed: it is too old, and its transaction has ended or is too old as well. */
    boolean isToClose(boolean idle) {
        long now = emulation.clock.millis();
        Transaction running = transaction;
        boolean over = running == null ? idle : running.isOld(emulation.limits(), now);
        return isAged(now, emulation.limits()) && over;
    }

    /** The reason to end the transaction because of its age, or null if it may go on. */
    @Nullable
    PgError isToEnd() {
        Transaction running = transaction;
        Limits limits = emulation.limits();
        boolean old = running != null && !running.failed && running.isOld(limits, emulation.clock.millis());
        return old ? Transaction.tooOld(limits) : null;
    }
}
