package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Call;
import dev.reservoir.emulator.internal.conflict.Injected;
import dev.reservoir.emulator.internal.conflict.OwnStatements;
import dev.reservoir.emulator.internal.conflict.WriteTransaction;
import dev.reservoir.emulator.internal.gateway.SessionState.Mode;
import dev.reservoir.emulator.internal.gateway.SessionState.Wait;
import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.message.ClientMessages;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Runs the statements of a session: on the server, on copies, or not at all. Never handles an answer, except for those
 * to the emulator's own statements. Used only on the client's event loop.
 */
final class StatementRunner {
    private final ClientSession session;
    private final Upstream upstream;
    private final SessionState state;
    private final TransactionTracker tracker;
    private final RunningStatement running;
    private final OwnStatements own;

    /** Number of delays so far. A delay that is no longer the last one has no effect. */
    private int delays;

    StatementRunner(ClientSession session) {
        this.session = session;
        upstream = session.upstream;
        state = session.state;
        tracker = session.tracker;
        running = session.running;
        own = session.own;
    }

    /** Runs a statement after the delay that the fault sets, unless it is refused. */
    void begin(Call call, long bytes, Runnable send) {
        Duration delay = session.emulation.faults.slowStatements;
        if (delay.isZero() || call.kind() == Kind.BEGIN) {
            attempt(call, bytes, send);
            return;
        }
        state.wait = Wait.DELAY;
        int ticket = ++delays;
        upstream.flush();
        Channels.later(session.client.channel, delay, () -> {
            if (state.wait == Wait.DELAY && ticket == delays && session.client.channel.isActive()) {
                state.wait = Wait.NOTHING;
                attempt(call, bytes, send);
                session.pump();
            }
        });
    }

    private void attempt(Call call, long bytes, Runnable send) {
        state.unsynced = true;
        running.begin(call, bytes);
        PgError why = call.statement().refusal() != null ? call.statement().refusal() : tracker.begin(call.kind());
        WriteTransaction open = state.writing;
        if (why == null && open != null && !tracker.isFailed()) {
            attempt(open, call, send);
        } else if (why == null && call.statement().guard() != null && !tracker.isFailed()) {
            guard(call.statement().guard(), send);
        } else if (why == null) {
            if (startsWriting(call.kind())) {
                beginWriting();
            }
            sendAndWait(send);
        } else if (call.kind() == Kind.COMMIT && tracker.isExplicit()) {
            refuseCommit(why);
        } else {
            refuse(why);
        }
    }

    private void guard(Statement.Guard guard, Runnable send) {
        state.wait = Wait.OWN;
        own.run(guard.query(), found -> {
            if (found.error() == null && found.rows().isEmpty()) {
                sendAndWait(send);
                upstream.flush();
            } else {
                refuse(found.error() == null ? guard.refusal() : found.error());
            }
        });
    }

    private void sendAndWait(Runnable send) {
        send.run();
        upstream.write(ClientMessages.flush());
        state.awaitExecute();
    }

    // Transactions that write.

    /** Whether a statement is the first of its transaction that changes or locks rows. */
    private boolean startsWriting(Kind kind) {
        return (kind == Kind.DML || kind == Kind.LOCKING || kind == Kind.EXECUTE)
                && state.writing == null
                && tracker.isExplicit()
                && !tracker.isFailed();
    }

    /**
     * Begins to write before a Parse or Bind, because those already lock the table. If answers are outstanding, the
     * savepoint comes before the Execute instead.
     */
    void beginWritingBefore(Kind kind) {
        if (state.owed == 0 && startsWriting(kind)) {
            beginWriting();
        }
    }

    private void beginWriting() {
        state.writing(new WriteTransaction(own));
        state.hiddenFirst = state.owed == 0;
        state.hidden = Injected.savepoint(upstream);
    }

    private void attempt(WriteTransaction open, Call call, Runnable send) {
        if (call.kind() == Kind.COMMIT) {
            commit(open, send);
        } else if (open.isOnServer() || call.kind() == Kind.ROLLBACK || call.kind() == Kind.BEGIN) {
            sendAndWait(send);
        } else if (call.continues()) {
            // The rollback to the savepoint has closed its portal.
            refuse(WriteTransaction.CONFLICT);
        } else {
            state.wait = Wait.OWN;
            open.restore(call, words -> repeat(call, words));
        }
    }

    private void commit(WriteTransaction open, Runnable send) {
        open.commits();
        if (open.contender.isDoomed()) {
            refuseCommit(WriteTransaction.CONFLICT);
        } else if (open.isOnServer()) {
            sendAndWait(send);
        } else {
            state.wait = Wait.OWN;
            open.prepareCommit(prepared -> {
                if (prepared && !open.contender.isDoomed()) {
                    // The rollback to the savepoint has closed its portal.
                    repeat(running.call, running.call.sql());
                } else {
                    refuseCommit(WriteTransaction.CONFLICT);
                }
            });
        }
    }

    /** Runs a statement again that failed because of another transaction, on copies. */
    void runOnCopies(WriteTransaction open, PgError error) {
        Call call = running.call;
        running.beginAgain(error.code().equals("23505"));
        state.wait = Wait.OWN;
        open.repeatOnCopies(call, error.code().equals("40001"), words -> repeat(call, words));
    }

    /** Runs the client's call with other SQL. Refuses it if {@code words} is null, because then it cannot run. */
    private void repeat(Call call, @Nullable String words) {
        if (words == null) {
            refuse(WriteTransaction.CONFLICT);
        } else {
            state.hiddenFirst = false;
            state.hidden = Injected.call(upstream, words, call, state.script != null && !running.described);
            sendAndWait(() -> {});
            upstream.flush();
        }
    }

    // Refusals.

    void refuse(PgError why) {
        state.refusal = why;
        failOnPurpose(Mode.REFUSING);
        state.awaitExecute();
    }

    void failOnPurpose(Mode purpose) {
        state.mode = purpose;
        Injected.failure(upstream);
        upstream.flush();
    }

    /** A failed COMMIT ends its transaction, unlike any other failed statement. */
    private void refuseCommit(PgError why) {
        state.refusal = why;
        state.mode = Mode.ROLLING_BACK;
        Injected.rollback(upstream);
        upstream.flush();
        state.awaitExecute();
    }

    /**
     * Ends the transaction of an idle client. The client learns of it at its next statement, unless {@code why} is null
     * because it knows already.
     */
    void end(@Nullable PgError why) {
        state.endingWith = why;
        failOnPurpose(Mode.ENDING);
        session.sync();
    }
}
