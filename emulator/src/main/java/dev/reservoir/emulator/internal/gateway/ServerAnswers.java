package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Injected;
import dev.reservoir.emulator.internal.conflict.OwnStatements;
import dev.reservoir.emulator.internal.conflict.WriteTransaction;
import dev.reservoir.emulator.internal.gateway.SessionState.Mode;
import dev.reservoir.emulator.internal.gateway.SessionState.Wait;
import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import java.util.Iterator;

/**
 * Handles the server's answers to the client's statements: passes them on, replaces them by what DSQL would answer, and
 * keeps the {@link TransactionTracker} up to date. Used only on the client's event loop.
 */
final class ServerAnswers {
    private final ClientSession session;
    private final ClientChannel client;
    private final SessionState state;
    private final TransactionTracker tracker;
    private final RunningStatement running;
    private final StatementRunner statements;
    private final OwnStatements own;

    ServerAnswers(ClientSession session) {
        this.session = session;
        client = session.client;
        state = session.state;
        tracker = session.tracker;
        running = session.running;
        statements = session.statements;
        own = session.own;
    }

    void onMessage(ByteBuf frame) {
        char type = Frames.type(frame);
        if (state.isHidden(type)) {
            state.hidden--;
            frame.release();
            return;
        }
        switch (type) {
            case 'D' -> running.row(frame, state.writing != null);
            case 'E' -> failed(frame);
            case 'Z' -> ready(frame);
            case 'C', 'I', 's' -> completed(type, frame);
            case '1', '2', '3', 'n', 'T' -> answered(type, frame);
            case 'G' -> {
                state.copying = true;
                state.notBusy();
                running.deliver(frame);
                state.wait = Wait.NOTHING;
                session.pump();
            }
            case 'H' -> running.deliver(frame);
            default -> client.deliver(frame);
        }
    }

    private void answered(char type, ByteBuf frame) {
        if (state.owed > 0) {
            state.owed--;
            client.deliver(frame);
        } else if (state.mode == Mode.ROLLING_BACK) {
            frame.release();
            if (type == '3') {
                afterFailure();
            }
        } else if (state.script != null && type != 'T') {
            frame.release();
        } else {
            running.describe(frame);
        }
    }

    // Success.

    private void completed(char type, ByteBuf frame) {
        state.notBusy();
        if (state.mode == Mode.ROLLING_BACK) {
            frame.release();
            tracker.rolledBack();
            session.endWriting(false);
            deliverRefusal();
            return;
        }
        running.deliverHeld();
        String tag = type == 'C' ? Frames.text(Frames.body(frame)) : "";
        if (tag.equals("DEALLOCATE ALL")) {
            session.names.forget();
        }
        if (tag.equals("COMMIT") || tag.equals("ROLLBACK")) {
            session.endWriting(tag.equals("COMMIT"));
        } else if (running.kind() == Kind.BEGIN) {
            state.begunNanos = System.nanoTime();
        }
        PgError instead = type == 'C' ? tracker.ended(running.kind(), tag) : null;
        if (instead != null) {
            frame.release();
            client.deliverOwn(instead);
            afterFailure();
            return;
        }
        PgError over = type == 'C' ? tracker.counted(running.kind(), tag, running.bytes) : null;
        if (over != null) {
            frame.release();
            client.deliverOwn(over);
            statements.failOnPurpose(Mode.DROPPING_ERROR);
            return;
        }
        record(tag);
        String shown = running.call.statement().tag();
        if (shown != null && type == 'C') {
            frame.release();
            client.deliver(ServerMessages.commandComplete(shown));
        } else {
            client.deliver(frame);
        }
        state.wait = Wait.NOTHING;
        Iterator<Statement> rest = state.script;
        if (rest != null) {
            session.nextOfScript(rest);
        }
        session.pump();
    }

    /** Records the statement, so that it can be repeated. */
    private void record(String tag) {
        WriteTransaction open = state.writing;
        if (open == null || running.kind() == Kind.BEGIN) {
            return;
        }
        if (running.kind() == Kind.DML && running.delivered) {
            open.contender.handedOutRows();
        }
        if (running.probing) {
            // The row with the same key on the server is not in the snapshot of this transaction.
            open.contender.doom();
        }
        if (running.call.continues() || tag.startsWith("COPY ")) {
            open.log.cannotBeRepeated();
        } else {
            open.log.add(running.call, running.digest(tag));
        }
    }

    // Failure.

    private void failed(ByteBuf frame) {
        PgError error = Frames.error(frame);
        frame.release();
        state.notBusy();
        WriteTransaction open = state.writing;
        boolean repeats = open != null && canRunOnCopies(open, error);
        state.owed = 0;
        state.hidden = 0;
        own.abandon();
        running.releaseHeld();
        if (open != null && repeats) {
            statements.runOnCopies(open, error);
            return;
        }
        state.copying = false;
        tracker.failed();
        if (!Injected.isFailure(error)) {
            translate(error);
        } else if (state.mode == Mode.REFUSING) {
            deliverRefusal();
        }
        afterFailure();
    }

    /**
     * Whether the failed statement can run on copies, because it failed on the change or lock of another transaction.
     */
    private boolean canRunOnCopies(WriteTransaction open, PgError error) {
        boolean possible = state.wait == Wait.EXECUTE
                && state.mode == Mode.PLAIN
                && !state.copying
                && state.owed == 0
                && open.isOnServer()
                && !open.isCommitting()
                && !tracker.isFailed()
                && !running.delivered
                && !running.call.continues()
                && open.log.isComplete();
        return possible
                && switch (error.code()) {
                    case "40001", "40P01", "55P03" -> true;
                    case "57014" -> state.cancelled;
                    case "23505" -> tracker.othersChangedRows();
                    default -> false;
                };
    }

    private void translate(PgError error) {
        switch (error.code().equals("57014") && state.cancelled ? WriteTransaction.CONFLICT.code() : error.code()) {
            case "40001", "40P01", "55P03" -> client.deliverOwn(WriteTransaction.CONFLICT);
            case "25P02" -> {
                PgError unseen = tracker.unseen();
                if (unseen == null) {
                    client.deliver(ServerMessages.error(error));
                } else {
                    client.deliverOwn(unseen);
                }
            }
            default -> {
                Statement statement = running.call.statement();
                PgError shown = statement.tag() == null ? error : error.withoutContext();
                client.deliver(ServerMessages.error(shown.shifted(state.script == null ? 0 : statement.offset())));
            }
        }
    }

    private void deliverRefusal() {
        PgError refusal = state.refusal;
        if (refusal != null) {
            client.deliverOwn(refusal);
            state.refusal = null;
        }
    }

    /** The client has its error. The session ignores its messages until the next Sync. */
    private void afterFailure() {
        if (state.wait == Wait.READY) {
            return;
        }
        state.mode = Mode.PLAIN;
        if (state.script != null) {
            session.sync();
        } else {
            state.skipping = true;
            state.wait = Wait.NOTHING;
            session.pump();
        }
    }

    // The end of a request.

    private void ready(ByteBuf frame) {
        boolean kept = state.mode == Mode.ENDING;
        char status = (char) Frames.body(frame).readByte();
        tracker.reported(status);
        state.ready();
        if (status == 'I') {
            session.names.forgetPortals();
            session.endWriting(false);
        }
        if (kept) {
            frame.release();
            if (state.endingWith != null) {
                tracker.endedUnseen(state.endingWith);
            }
        } else {
            client.deliver(frame);
        }
        session.pump();
        if (tracker.isDue(session.emulation.clock.millis(), session.emulation.limits())) {
            client.channel.flush();
            session.checkAges();
        }
    }
}
