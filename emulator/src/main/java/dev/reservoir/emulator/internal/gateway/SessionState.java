package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Contender;
import dev.reservoir.emulator.internal.conflict.WriteTransaction;
import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.pgwire.PgError;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * How far one session has come: what it waits for, what it does with the server's answers, and its open transaction.
 * The classes of a session share it. Used only on the client's event loop, except where a comment says otherwise. Never
 * decides anything.
 */
final class SessionState {
    /** What the client's next message waits for. */
    enum Wait {
        OPENING,
        NOTHING,
        DELAY,
        EXECUTE,
        /** The emulator's own statements, between those of the client. */
        OWN,
        READY
    }

    /** What the session does with the server's answers. */
    enum Mode {
        /** The client gets them. */
        PLAIN,
        /** The client gets {@link #refusal} in place of the error that must come. */
        REFUSING,
        /** The session drops the error that must come, because the client already has the emulator's error. */
        DROPPING_ERROR,
        /** A ROLLBACK runs in place of a COMMIT; the client gets {@link #refusal}. */
        ROLLING_BACK,
        /** The session drops all of them, including ReadyForQuery, because the client has sent no request. */
        ENDING
    }

    Wait wait = Wait.OPENING;
    Mode mode = Mode.PLAIN;

    @Nullable
    PgError refusal;

    /** The rest of a simple query, or null outside a simple query. */
    @Nullable
    Iterator<Statement> script;

    /** Answers that the client must get before those of the running statement. */
    int owed;

    /** Answers of the server that the client must not get. */
    int hidden;

    /** Whether the hidden answers come before the owed ones; otherwise they come after. */
    boolean hiddenFirst;

    /** The session ignores the client's messages up to the next Sync. */
    boolean skipping;

    boolean copying;

    /** Whether the client has sent a message after its last Sync. */
    boolean unsynced;

    /** The open transaction, if BEGIN started it and it has changed or locked rows. */
    @Nullable
    WriteTransaction writing;

    /** The contender of {@link #writing}, for other threads. Only this class changes it. */
    volatile @Nullable Contender contender;

    /**
     * Since when the server has been busy for this session, by {@link System#nanoTime()}, or 0 while it is idle. Other
     * threads read it, and only this class changes it.
     */
    volatile long busySinceNanos;

    /** Whether a cancel request is on its way to the server. */
    boolean cancelling;

    /**
     * Whether the session has cancelled a statement in this transaction. The resulting error is not meant for the
     * client.
     */
    boolean cancelled;

    /** Whether another transaction needs the locks of this one. */
    boolean locksRequested;

    /** When BEGIN started the transaction, by {@link System#nanoTime()}. */
    long begunNanos;

    /** The error that the client gets after the end of its transaction, or null if it already knows of a failure. */
    @Nullable
    PgError endingWith;

    void busy() {
        busySinceNanos = System.nanoTime() | 1;
    }

    void notBusy() {
        busySinceNanos = 0;
    }

    void writing(WriteTransaction begun) {
        writing = begun;
        contender = begun.contender;
    }

    void notWriting() {
        writing = null;
        contender = null;
        cancelled = false;
        locksRequested = false;
    }

    /** Waits for an answer of the server to an Execute. */
    void awaitExecute() {
        wait = Wait.EXECUTE;
        busy();
    }

    void ready() {
        mode = Mode.PLAIN;
        refusal = null;
        script = null;
        skipping = false;
        copying = false;
        owed = 0;
        hidden = 0;
        unsynced = false;
        notBusy();
        wait = Wait.NOTHING;
    }

    /** Whether an answer of this type is one that the client must not get. */
    boolean isHidden(char type) {
        return hidden > 0 && (owed == 0 || hiddenFirst) && (type == '1' || type == '2' || type == '3' || type == 'C');
    }
}
