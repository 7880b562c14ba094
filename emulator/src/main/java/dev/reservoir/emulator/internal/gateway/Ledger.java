package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.emulator.internal.wire.Problem;
import org.jspecify.annotations.Nullable;

/**
 * The books of one session: which transaction is under way, what it has done, and what DSQL would say to that. Knows only what it is told of
 * statements that end and of the states that the server reports. Used on the session's event loop alone, but for {@link #isDue}.
 */
final class Ledger {
    static final Problem SCHEMA_CHANGED =
            Problem.error("40001", "schema has been updated by another transaction, please retry: (OC001)");

    private final Emulation emulation;
    private final long openedAtMillis;
    private @Nullable Transaction transaction;

    /** When the transaction began that may grow too old while nothing happens; 0 while there is none. For other threads. */
    private volatile long explicitSinceMillis;

    Ledger(Emulation emulation) {
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

    /** Takes note that a statement runs, unless there is a reason against it, which is returned. */
    @Nullable
    Problem begin(Kind kind) {
        Transaction running = running();
        Problem refusal = running.failed || kind == Kind.ROLLBACK ? null : refusal(kind, running);
        if (refusal == null) {
            running.runs(kind);
        }
        return refusal;
    }

    private @Nullable Problem refusal(Kind kind, Transaction running) {
        if (emulation.faults.unavailable()) {
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

    private static Problem unavailable() {
        return Problem.error("XX000", "server unavailable");
    }

    /** Whether BEGIN has begun a transaction that has not ended. */
    boolean isExplicit() {
        return transaction != null && transaction.explicit;
    }

    boolean isFailed() {
        return transaction != null && transaction.failed;
    }

    /** Whether another transaction has changed rows since this one began. */
    boolean othersChangedRows() {
        return transaction != null && transaction.changesBefore != emulation.changes.get();
    }

    /** A statement has ended well. Returns what its client is to see in its place, if the commit is not to be seen for what it was. */
    @Nullable
    Problem ended(Kind kind, String tag) {
        Transaction ended = transaction;
        switch (tag) {
            case "BEGIN", "START TRANSACTION" -> running().explicit = true;
            case "COMMIT" -> {
                reported('I');
                return emulation.faults.unavailableAfterCommit() ? unavailable() : null;
            }
            case "ROLLBACK" -> {
                transaction = null;
                return ended != null && kind == Kind.COMMIT ? ended.unseen : null;
            }
            default -> {
                // Changes nothing about the transaction.
            }
        }
        return null;
    }

    /** Counts what a statement has changed. Returns the limit that its transaction is over now. */
    @Nullable
    Problem counted(Kind kind, String tag, long bytes) {
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

    /** How many rows a tag such as {@code INSERT 0 5} speaks of. */
    private static long rows(String tag) {
        String last = tag.substring(tag.lastIndexOf(' ') + 1);
        return last.matches("\\d{1,18}") ? Long.parseLong(last) : 0;
    }

    void failed() {
        if (transaction != null) {
            transaction.failed = true;
        }
    }

    /** It has been rolled back in the place of a commit. */
    void rolledBack() {
        transaction = null;
    }

    /** It has been ended, and the client has not heard why. */
    void endedUnseen(Problem why) {
        if (transaction != null) {
            transaction.unseen = why;
        }
    }

    /** What the client has not heard yet of its transaction's end; it is told once. */
    @Nullable
    Problem unseen() {
        Problem why = transaction == null ? null : transaction.unseen;
        if (transaction != null) {
            transaction.unseen = null;
        }
        return why;
    }

    /** The state of the transaction that the server reports: none, under way, or failed. */
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

    // Time.

    /** Whether the session's age or that of its transaction asks for something. For any thread. */
    boolean isDue(long nowMillis, Limits limits) {
        long since = explicitSinceMillis;
        return isAged(nowMillis, limits)
                || (since != 0 && nowMillis - since > limits.transactionAge().toMillis());
    }

    private boolean isAged(long nowMillis, Limits limits) {
        return nowMillis - openedAtMillis >= limits.maxAge().toMillis();
    }

    /** Whether the session is to be closed: it is too old, and its transaction is over or has had its time. */
    boolean isToClose(boolean idle) {
        long now = emulation.clock.millis();
        Transaction running = transaction;
        boolean over = running == null ? idle : running.isOld(emulation.limits(), now);
        return isAged(now, emulation.limits()) && over;
    }

    /** Why the transaction is to be ended for its age; null if it is not. */
    @Nullable
    Problem isToEnd() {
        Transaction running = transaction;
        Limits limits = emulation.limits();
        boolean old = running != null && !running.failed && running.isOld(limits, emulation.clock.millis());
        return old ? Transaction.tooOld(limits) : null;
    }
}
