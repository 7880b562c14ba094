package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.internal.conflict.Call;
import dev.reservoir.emulator.internal.conflict.Contender;
import dev.reservoir.emulator.internal.conflict.Injected;
import dev.reservoir.emulator.internal.conflict.OwnStatements;
import dev.reservoir.emulator.internal.conflict.RowDigest;
import dev.reservoir.emulator.internal.conflict.WriteTransaction;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.emulator.internal.sql.Statements;
import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.emulator.internal.upstream.Upstreams;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client and its server, from the first ReadyForQuery to the end.
 *
 * <p>Messages pass one after the other. After each Execute and each Sync the session waits for the server's answer
 * before it takes the client's next message. So it knows at every statement exactly what the transaction has done,
 * however much the client has sent ahead. The session passes a Sync on, and with it the commit of the statements before
 * it, only when it knows that all those statements are within the limits. Meanwhile the client's messages stay in its
 * socket, except for a bounded part.
 *
 * <p>The session splits a simple query into its statements and runs each by the extended protocol, all before one Sync.
 * That is the same implicit transaction, and one code path serves both protocols.
 *
 * <p>The session never refuses a statement without the server. In place of a refused statement the server gets one that
 * must fail, and the session replaces the server's error by its own. So the server itself skips to the next Sync, fails
 * the transaction, answers 25P02 from then on and commits nothing. The two sides cannot get out of step.
 *
 * <p>A transaction that starts with BEGIN and changes or locks rows is a {@link WriteTransaction}. Its statements never
 * wait for the locks of another transaction, and COMMIT reports its conflicts. Without a conflict this costs one
 * savepoint before the first change, sent together with that change.
 *
 * <p>Used only on the client's event loop, except where a comment says otherwise. Never blocks.
 */
final class ClientSession implements Upstream.Listener {
    /**
     * Most rows kept of a locking statement until it ends, so that it can be repeated. The bound limits memory: a
     * statement with more rows cannot be repeated.
     */
    private static final int MOST_HELD = 3_000;

    /**
     * Longest wait of a statement for a lock, after which it conflicts. Reached only if the holder of the lock cannot
     * be moved away: during a COPY, during a long statement, or because it bypasses the emulator.
     */
    private static final long LOCK_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Shortest time between two cancel requests. Within this time the server acts on a request or has missed it. */
    private static final long CANCEL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** What the client's next message waits for. */
    private enum Wait {
        OPENING,
        NOTHING,
        DELAY,
        EXECUTE,
        /** The emulator's own statements, between those of the client. */
        OWN,
        READY
    }

    /** What the session does with the server's answers. */
    private enum Mode {
        /** The client gets them. */
        PLAIN,
        /** The client gets {@link #refusal} in place of the error that must come. */
        REFUSING,
        /** The session drops the error that must come, because the client already has the emulator's error. */
        SPOILING,
        /** A ROLLBACK runs in place of a COMMIT; the client gets {@link #refusal}. */
        ROLLING_BACK,
        /** The session drops all of them, including ReadyForQuery, because the client has sent no request. */
        ENDING
    }

    private final Emulation emulation;
    private final Upstream upstream;
    private final ClientEnd client;
    private final Ledger ledger;
    private final StatementNames names = new StatementNames();
    private final Upstreams upstreams;
    private final OwnStatements own;

    private Runnable whenOpen = () -> {};
    private Wait wait = Wait.OPENING;
    private Mode mode = Mode.PLAIN;
    private @Nullable PgError refusal;

    /** The rest of a simple query, or null outside a simple query. */
    private @Nullable Iterator<Statement> script;

    private Call current = Call.NONE;
    private long currentBytes;

    /** Answers that the client must get before those of the running statement. */
    private int owed;

    /** The session ignores the client's messages up to the next Sync. */
    private boolean skipping;

    private boolean copying;
    private boolean unsynced;
    private boolean pumping;
    private int delays;

    /** The open transaction, if BEGIN started it and it has changed or locked rows. */
    private @Nullable WriteTransaction writing;

    /** The contender of {@link #writing}, for other threads. */
    private volatile @Nullable Contender contender;

    /** Since when the server has been busy for this session, or 0 while it is idle. Other threads read it. */
    private volatile long busySinceNanos;

    /** Whether the schema {@code sys} is known to exist, so that statements with ASYNC become jobs. */
    private boolean hasSys;

    /** Whether the schema was just requested for the current message, which goes on with or without it. */
    private boolean hasAskedForSys;

    private int processId;
    private int secret;

    /** Answers of the server that the client must not get. */
    private int hidden;

    /** Whether the hidden answers come before the owed ones; otherwise they come after. */
    private boolean hiddenFirst;

    private final RowDigest digest = new RowDigest();

    /** Rows of the running statement that the client has not got yet. */
    private final List<ByteBuf> held = new ArrayList<>();

    /** Whether the client has got a part of the answer to the running statement. */
    private boolean delivered;

    /** Whether the client knows the columns of the running statement of a simple query. */
    private boolean described;

    /** Whether the running statement failed on the server with a duplicate key and now runs on copies. */
    private boolean probing;

    /** Whether a cancel request is on its way to the server. */
    private boolean cancelling;

    /**
     * Whether the session has cancelled a statement in this transaction. The resulting error is not meant for the
     * client.
     */
    private boolean cancelled;

    /** Time before which no further cancel request is sent, so that it does not hit the next statement. */
    private long cancelAgainNanos = System.nanoTime();

    /** Whether another transaction needs the locks of this one. */
    private boolean inTheWay;

    /** When BEGIN started the transaction, by {@link System#nanoTime()}. */
    private long begunNanos;

    /** The error that the client gets after the end of its transaction, or null if it already knows of a failure. */
    private @Nullable PgError endingWith;

    ClientSession(Emulation emulation, Channel channel, Upstreams upstreams, Upstream upstream) {
        this.emulation = emulation;
        this.upstreams = upstreams;
        this.upstream = upstream;
        own = new OwnStatements(upstream, this::busy);
        client = new ClientEnd(emulation, channel, upstream, this);
        ledger = new Ledger(emulation);
    }

    /** Sets the task that runs when the server is ready for the first statement. */
    void whenOpen(Runnable task) {
        whenOpen = task;
    }

    /** The handler of the client's messages from then on. */
    ChannelHandler handler() {
        return client;
    }

    // The client's side.

    /** Handles the client's messages until one of them has to wait. */
    void pump() {
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            for (ByteBuf frame = next(); frame != null; frame = next()) {
                handle(frame);
            }
        } finally {
            pumping = false;
        }
        upstream.flush();
        client.regulate();
    }

    private @Nullable ByteBuf next() {
        if (inTheWay) {
            giveWay();
        }
        return wait == Wait.NOTHING && !cancelling ? client.next() : null;
    }

    private void handle(ByteBuf frame) {
        char type = Frames.type(frame);
        boolean isVoid =
                (skipping && type != 'S' && type != 'X') || (!copying && (type == 'd' || type == 'c' || type == 'f'));
        // PostgreSQL ignores them too: some clients send them before they know that a COPY has begun.
        boolean ignored = copying && (type == 'S' || type == 'H');
        if (isVoid || ignored) {
            frame.release();
            return;
        }
        switch (type) {
            case 'Q' -> query(frame);
            case 'P' -> parse(frame);
            case 'E' -> execute(frame);
            case 'B', 'C', 'D' -> {
                beginWritingBefore(names.note(type, frame));
                owed++;
                unsynced = true;
                upstream.write(frame);
            }
            case 'S' -> {
                frame.release();
                sync();
            }
            case 'c', 'f' -> {
                copying = false;
                wait = Wait.EXECUTE;
                busy();
                upstream.write(frame);
                upstream.write(ClientMessages.flush());
            }
            case 'd' -> {
                currentBytes += frame.readableBytes() - Frames.HEADER;
                upstream.write(frame);
            }
            case 'H' -> upstream.write(frame);
            case 'F' -> {
                frame.release();
                PgError why = PgError.error("0A000", "unsupported statement: function call");
                run(List.of(new Statement("", 0, Kind.OTHER, why)).iterator());
            }
            default -> {
                frame.release();
                if (type != 'X') {
                    throw new IllegalArgumentException("a message of type " + (int) type);
                }
                Channels.close(client.channel());
            }
        }
    }

    private void query(ByteBuf frame) {
        String sql = Frames.text(Frames.body(frame));
        List<Statement> statements = Statements.of(sql);
        if (needsSys() && StatementNames.usesSys(statements)) {
            prepareSys(frame);
            return;
        }
        frame.release();
        run((statements.isEmpty() ? List.of(new Statement("", 0, Kind.OTHER, null)) : statements).iterator());
    }

    private void run(Iterator<Statement> statements) {
        script = statements;
        nextOfScript(statements);
    }

    private boolean needsSys() {
        return !hasSys && !hasAskedForSys;
    }

    private void nextOfScript(Iterator<Statement> rest) {
        if (!rest.hasNext()) {
            sync();
            return;
        }
        Statement found = rest.next();
        Statement next = hasSys ? found.asJob() : found;
        begin(Call.plain(next), next.sql().length(), () -> Injected.statement(upstream, next.sql()));
    }

    /** Creates the schema sys, if it is missing, before a message that needs it. */
    private void prepareSys(ByteBuf frame) {
        wait = Wait.OWN;
        upstreams.prepareSys(client.channel().eventLoop(), there -> {
            hasSys = there;
            wait = Wait.NOTHING;
            hasAskedForSys = true;
            try {
                handle(frame);
            } finally {
                hasAskedForSys = false;
            }
            pump();
        });
    }

    private void parse(ByteBuf frame) {
        if (needsSys() && StatementNames.usesSys(frame)) {
            prepareSys(frame);
            return;
        }
        unsynced = true;
        StatementNames.Parsed parsed = names.parsed(frame, hasSys);
        PgError why = parsed.statement().refusal();
        if (why == null) {
            beginWritingBefore(parsed.statement().kind());
            owed++;
            upstream.write(parsed.frame());
        } else {
            parsed.frame().release();
            refuse(why);
        }
    }

    private void execute(ByteBuf frame) {
        ByteBuf body = Frames.body(frame);
        Call call = names.call(Frames.text(body), body.readInt());
        // The copy is on the heap: it needs no release if it is never sent.
        ByteBuf copy = Unpooled.copiedBuffer(frame);
        frame.release();
        begin(call, call.bytes(), () -> upstream.write(copy));
    }

    private void sync() {
        skipping = false;
        wait = Wait.READY;
        busy();
        upstream.write(ClientMessages.sync());
        upstream.flush();
    }

    // Statements.

    /** Runs a statement after the delay that the fault sets, unless it is refused. */
    private void begin(Call call, long bytes, Runnable send) {
        Duration delay = emulation.faults.slowStatements;
        if (delay.isZero() || call.kind() == Kind.BEGIN) {
            attempt(call, bytes, send);
            return;
        }
        wait = Wait.DELAY;
        int ticket = ++delays;
        upstream.flush();
        Channels.later(client.channel().eventLoop(), delay, () -> {
            if (wait == Wait.DELAY && ticket == delays && client.channel().isActive()) {
                wait = Wait.NOTHING;
                attempt(call, bytes, send);
                pump();
            }
        });
    }

    private void attempt(Call call, long bytes, Runnable send) {
        unsynced = true;
        current = call;
        currentBytes = bytes;
        digest.clear();
        delivered = false;
        described = false;
        probing = false;
        PgError why = call.statement().refusal() != null ? call.statement().refusal() : ledger.begin(call.kind());
        WriteTransaction open = writing;
        if (why == null && open != null && !ledger.isFailed()) {
            attempt(open, call, send);
        } else if (why == null && call.statement().guard() != null && !ledger.isFailed()) {
            guard(call.statement().guard(), send);
        } else if (why == null) {
            if (startsWriting(call.kind())) {
                beginWriting();
            }
            carryOut(send);
        } else if (call.kind() == Kind.COMMIT && ledger.isExplicit()) {
            refuseCommit(why);
        } else {
            refuse(why);
        }
    }

    private void guard(Statement.Guard guard, Runnable send) {
        wait = Wait.OWN;
        own.run(guard.query(), found -> {
            if (found.error() == null && found.rows().isEmpty()) {
                carryOut(send);
                upstream.flush();
            } else {
                refuse(found.error() == null ? guard.refusal() : found.error());
            }
        });
    }

    /** Whether a statement is the first of its transaction that changes or locks rows. */
    private boolean startsWriting(Kind kind) {
        return (kind == Kind.DML || kind == Kind.LOCKING || kind == Kind.EXECUTE)
                && writing == null
                && ledger.isExplicit()
                && !ledger.isFailed();
    }

    /**
     * Begins to write before a Parse or Bind, because those already lock the table. If answers are outstanding, the
     * savepoint comes before the Execute instead.
     */
    private void beginWritingBefore(Kind kind) {
        if (owed == 0 && startsWriting(kind)) {
            beginWriting();
        }
    }

    private void beginWriting() {
        WriteTransaction begun = new WriteTransaction(own);
        writing = begun;
        contender = begun.contender();
        hiddenFirst = owed == 0;
        hidden = Injected.savepoint(upstream);
    }

    private void attempt(WriteTransaction open, Call call, Runnable send) {
        if (call.kind() == Kind.COMMIT) {
            commit(open, send);
        } else if (open.isOnServer() || call.kind() == Kind.ROLLBACK || call.kind() == Kind.BEGIN) {
            carryOut(send);
        } else if (call.continues()) {
            // The rollback to the savepoint has closed its portal.
            refuse(WriteTransaction.CONFLICT);
        } else {
            wait = Wait.OWN;
            open.restore(call, words -> repeat(call, words));
        }
    }

    private void commit(WriteTransaction open, Runnable send) {
        open.commits();
        if (open.contender().isDoomed()) {
            refuseCommit(WriteTransaction.CONFLICT);
        } else if (open.isOnServer()) {
            carryOut(send);
        } else {
            wait = Wait.OWN;
            open.prepareCommit(prepared -> {
                if (prepared && !open.contender().isDoomed()) {
                    // The rollback to the savepoint has closed its portal.
                    repeat(current, current.sql());
                } else {
                    refuseCommit(WriteTransaction.CONFLICT);
                }
            });
        }
    }

    private void carryOut(Runnable send) {
        send.run();
        upstream.write(ClientMessages.flush());
        wait = Wait.EXECUTE;
        busy();
    }

    /** Runs the client's call with other SQL. Refuses it if {@code words} is null, because then it cannot run. */
    private void repeat(Call call, @Nullable String words) {
        if (words == null) {
            refuse(WriteTransaction.CONFLICT);
        } else {
            hiddenFirst = false;
            hidden = Injected.call(upstream, words, call, script != null && !described);
            carryOut(() -> {});
            upstream.flush();
        }
    }

    private void refuse(PgError why) {
        refusal = why;
        failOnPurpose(Mode.REFUSING);
        wait = Wait.EXECUTE;
        busy();
    }

    private void failOnPurpose(Mode purpose) {
        mode = purpose;
        Injected.failure(upstream);
        upstream.flush();
    }

    /** A failed COMMIT ends its transaction, unlike any other failed statement. */
    private void refuseCommit(PgError why) {
        refusal = why;
        mode = Mode.ROLLING_BACK;
        Injected.rollback(upstream);
        upstream.flush();
        wait = Wait.EXECUTE;
        busy();
    }

    // The server's side.

    @Override
    public void onMessage(ByteBuf frame) {
        char type = Frames.type(frame);
        if (wait == Wait.OPENING) {
            opening(type, frame);
            return;
        }
        if (own.isRunning() && owed == 0) {
            own.onMessage(frame);
            return;
        }
        boolean keptBack =
                hidden > 0 && (owed == 0 || hiddenFirst) && (type == '1' || type == '2' || type == '3' || type == 'C');
        if (keptBack) {
            hidden--;
            frame.release();
            return;
        }
        switch (type) {
            case 'D' -> row(frame);
            case 'E' -> failed(frame);
            case 'Z' -> ready(frame);
            case 'C', 'I', 's' -> completed(type, frame);
            case '1', '2', '3', 'n', 'T' -> answered(type, frame);
            case 'G' -> {
                copying = true;
                delivered = true;
                busySinceNanos = 0;
                client.deliver(frame);
                wait = Wait.NOTHING;
                pump();
            }
            case 'H' -> {
                delivered = true;
                client.deliver(frame);
            }
            default -> client.deliver(frame);
        }
    }

    private void opening(char type, ByteBuf frame) {
        if (type == 'E') {
            Channels.writeAndClose(client.channel(), frame);
            return;
        }
        if (type == 'K') {
            ByteBuf body = Frames.body(frame);
            processId = body.readInt();
            secret = body.readInt();
        }
        if (type == 'S' && Frames.text(Frames.body(frame)).equals("server_version")) {
            frame.release();
            client.deliver(ServerMessages.parameterStatus("server_version", Statements.VERSION));
            return;
        }
        client.deliver(frame);
        if (type == 'Z') {
            wait = Wait.NOTHING;
            emulation.add(this);
            whenOpen.run();
            pump();
        }
    }

    @Override
    public void onPause() {
        client.channel().flush();
    }

    @Override
    public void onWritable() {
        client.regulate();
    }

    @Override
    public void onClosed() {
        client.channel().flush();
        Channels.close(client.channel());
    }

    private void row(ByteBuf frame) {
        if (writing != null) {
            digest.row(frame);
            if (current.kind() == Kind.LOCKING && !delivered && held.size() < MOST_HELD) {
                held.add(frame);
                return;
            }
        }
        deliverHeld();
        delivered = true;
        client.deliver(frame);
    }

    private void deliverHeld() {
        held.forEach(client::deliver);
        held.clear();
    }

    private void answered(char type, ByteBuf frame) {
        if (owed > 0) {
            owed--;
            client.deliver(frame);
        } else if (mode == Mode.ROLLING_BACK) {
            frame.release();
            if (type == '3') {
                afterFailure();
            }
        } else if (script != null && type != 'T') {
            frame.release();
        } else {
            described = true;
            client.deliver(frame);
        }
    }

    private void completed(char type, ByteBuf frame) {
        busySinceNanos = 0;
        if (mode == Mode.ROLLING_BACK) {
            frame.release();
            ledger.rolledBack();
            endWriting(false);
            deliverRefusal();
            return;
        }
        deliverHeld();
        String tag = type == 'C' ? Frames.text(Frames.body(frame)) : "";
        if (tag.equals("DEALLOCATE ALL")) {
            names.forget();
        }
        if (ends(tag)) {
            endWriting(tag.equals("COMMIT"));
        } else if (current.kind() == Kind.BEGIN) {
            begunNanos = System.nanoTime();
        }
        PgError instead = type == 'C' ? ledger.ended(current.kind(), tag) : null;
        if (instead != null) {
            frame.release();
            client.deliverOwn(instead);
            afterFailure();
            return;
        }
        PgError over = type == 'C' ? ledger.counted(current.kind(), tag, currentBytes) : null;
        if (over != null) {
            frame.release();
            client.deliverOwn(over);
            failOnPurpose(Mode.SPOILING);
            return;
        }
        note(tag);
        String shown = current.statement().tag();
        if (shown != null && type == 'C') {
            frame.release();
            client.deliver(ServerMessages.commandComplete(shown));
        } else {
            client.deliver(frame);
        }
        wait = Wait.NOTHING;
        Iterator<Statement> rest = script;
        if (rest != null) {
            nextOfScript(rest);
        }
        pump();
    }

    private static boolean ends(String tag) {
        return tag.equals("COMMIT") || tag.equals("ROLLBACK");
    }

    /** Records the statement, so that it can be repeated. */
    private void note(String tag) {
        WriteTransaction open = writing;
        if (open == null || current.kind() == Kind.BEGIN) {
            return;
        }
        if (current.kind() == Kind.DML && delivered) {
            open.contender().handedOutRows();
        }
        if (probing) {
            // The row with the same key on the server is not in the snapshot of this transaction.
            open.contender().doom();
        }
        if (current.continues() || tag.startsWith("COPY ")) {
            open.log().cannotBeRepeated();
        } else {
            open.log().add(current, digest.ended(tag));
        }
    }

    private void endWriting(boolean committed) {
        WriteTransaction open = writing;
        if (open != null && committed) {
            emulation.conflictsMet.committed(open.contender());
        } else if (open != null) {
            emulation.conflictsMet.rolledBack(open.contender());
        }
        writing = null;
        contender = null;
        cancelled = false;
        inTheWay = false;
    }

    /**
     * The client has closed the connection. Cancels its statement, because the server would otherwise run it to the end
     * and keep all locks.
     */
    void gone() {
        endWriting(false);
        if (busySinceNanos != 0 && !client.channel().eventLoop().isShuttingDown()) {
            upstreams.cancel(client.channel().eventLoop(), processId, secret, () -> {});
        }
        held.forEach(ByteBuf::release);
        held.clear();
    }

    private void deliverRefusal() {
        if (refusal != null) {
            client.deliverOwn(refusal);
            refusal = null;
        }
    }

    private void failed(ByteBuf frame) {
        PgError error = Frames.error(frame);
        frame.release();
        busySinceNanos = 0;
        boolean evades = wait == Wait.EXECUTE && mode == Mode.PLAIN && !copying && owed == 0 && canEvade(error);
        owed = 0;
        hidden = 0;
        own.abandon();
        held.forEach(ByteBuf::release);
        held.clear();
        WriteTransaction open = writing;
        if (evades && open != null) {
            Call call = current;
            digest.clear();
            probing = error.code().equals("23505");
            wait = Wait.OWN;
            open.repeatOnCopies(call, error.code().equals("40001"), words -> repeat(call, words));
            return;
        }
        copying = false;
        ledger.failed();
        if (!Injected.isFailure(error)) {
            translate(error);
        } else if (mode == Mode.REFUSING) {
            deliverRefusal();
        }
        afterFailure();
    }

    /**
     * Whether the failed statement can run on copies, because it failed on the change or lock of another transaction.
     */
    private boolean canEvade(PgError error) {
        WriteTransaction open = writing;
        boolean possible = open != null
                && open.isOnServer()
                && !open.isCommitting()
                && !ledger.isFailed()
                && !delivered
                && !current.continues()
                && open.log().isComplete();
        return possible
                && switch (error.code()) {
                    case "40001", "40P01", "55P03" -> true;
                    case "57014" -> cancelled;
                    case "23505" -> ledger.othersChangedRows();
                    default -> false;
                };
    }

    private void translate(PgError error) {
        switch (error.code().equals("57014") && cancelled ? WriteTransaction.CONFLICT.code() : error.code()) {
            case "40001", "40P01", "55P03" -> client.deliverOwn(WriteTransaction.CONFLICT);
            case "25P02" -> {
                PgError unseen = ledger.unseen();
                if (unseen == null) {
                    client.deliver(ServerMessages.error(error));
                } else {
                    client.deliverOwn(unseen);
                }
            }
            default ->
                client.deliver(
                        ServerMessages.error((current.statement().tag() == null ? error : error.withoutContext())
                                .shifted(script == null ? 0 : current.statement().offset())));
        }
    }

    /** The client has its error. The session ignores its messages until the next Sync. */
    private void afterFailure() {
        if (wait == Wait.READY) {
            return;
        }
        mode = Mode.PLAIN;
        if (script != null) {
            sync();
        } else {
            skipping = true;
            wait = Wait.NOTHING;
            pump();
        }
    }

    private void ready(ByteBuf frame) {
        boolean kept = mode == Mode.ENDING;
        char status = (char) Frames.body(frame).readByte();
        ledger.reported(status);
        if (status == 'I') {
            names.forgetPortals();
        }
        mode = Mode.PLAIN;
        refusal = null;
        script = null;
        skipping = false;
        copying = false;
        owed = 0;
        hidden = 0;
        unsynced = false;
        busySinceNanos = 0;
        wait = Wait.NOTHING;
        if (status == 'I') {
            endWriting(false);
        }
        if (kept) {
            frame.release();
            if (endingWith != null) {
                ledger.endedUnseen(endingWith);
            }
        } else {
            client.deliver(frame);
        }
        pump();
        if (isDue(emulation.clock.millis(), emulation.limits())) {
            client.channel().flush();
            lookAtTheClock();
        }
    }

    // Locks.

    int processId() {
        return processId;
    }

    /**
     * Since when the server has been busy for this session, by {@link System#nanoTime()}, or 0 while it is idle. Any
     * thread may call it.
     */
    long busySinceNanos() {
        return busySinceNanos;
    }

    /** The open transaction that has changed or locked rows, or null. Any thread may call it. */
    @Nullable
    Contender contender() {
        return contender;
    }

    private void busy() {
        busySinceNanos = System.nanoTime() | 1;
    }

    /** Reports that the request that began at that time waits for a lock. Any thread may call it. */
    void onBlocked(long sinceNanos, LockWatch.Blockers blockers) {
        client.channel().eventLoop().execute(() -> {
            if (busySinceNanos != sinceNanos || !client.channel().isActive()) {
                return;
            }
            if (System.nanoTime() - sinceNanos > LOCK_WAIT_NANOS) {
                cancel();
            } else if (blockers.known()) {
                blocked(blockers.holders());
                if (current.kind() == Kind.DDL) {
                    blockers.sessions().forEach(session -> session.yieldToSchema(blockers.askedNanos()));
                }
            }
        });
    }

    /**
     * Cancels the blocked statement, except in two cases, in which the blocking transactions step aside instead. One is
     * a COMMIT. The other is a statement of a transaction that cannot be repeated, if the blocking transactions can.
     */
    private void blocked(List<LockWatch.Holder> holders) {
        WriteTransaction open = writing;
        if (open != null) {
            holders.forEach(holder -> emulation.conflictsMet.met(open.contender(), holder.contender()));
        }
        boolean stays = open == null
                || open.isCommitting()
                || (wait == Wait.EXECUTE
                        && open.contender().isUnique()
                        && !holders.isEmpty()
                        && holders.stream()
                                .noneMatch(holder -> holder.contender().isUnique()));
        if (stays) {
            holders.forEach(holder -> holder.session().stepAside(holder.contender()));
        } else {
            cancel();
        }
    }

    private void cancel() {
        if (!cancelling && System.nanoTime() - cancelAgainNanos > 0) {
            cancelling = true;
            cancelled = true;
            cancelAgainNanos = System.nanoTime() + CANCEL_PAUSE_NANOS;
            upstreams.cancel(client.channel().eventLoop(), processId, secret, () -> {
                cancelling = false;
                pump();
            });
        }
    }

    /** Another transaction needs the locks of this one. Any thread may call it. */
    private void stepAside(Contender asked) {
        client.channel().eventLoop().execute(() -> {
            WriteTransaction open = writing;
            boolean can = open != null
                    && open.contender() == asked
                    && open.isOnServer()
                    && !open.isCommitting()
                    && !ledger.isFailed();
            if (can) {
                inTheWay = true;
                pump();
            }
        });
    }

    /** Frees the locks as soon as the session is between two messages of the client. */
    private void giveWay() {
        WriteTransaction open = writing;
        if (open == null || !open.isOnServer() || ledger.isFailed()) {
            inTheWay = false;
        } else if (wait == Wait.NOTHING && !cancelling && !copying && owed == 0) {
            inTheWay = false;
            wait = Wait.OWN;
            open.leaveServer(() -> {
                wait = Wait.NOTHING;
                busySinceNanos = 0;
                pump();
            });
        }
    }

    /**
     * Another transaction changes a table that this one has used. This one cannot go on after that change is committed,
     * so it is ended as soon as its client is idle. Any thread may call it.
     */
    private void yieldToSchema(long askedNanos) {
        client.channel().eventLoop().execute(() -> {
            WriteTransaction open = writing;
            boolean idle = wait == Wait.NOTHING && client.hasNothing() && !unsynced && !cancelling && !inTheWay;
            boolean canStepAside = open != null && open.isOnServer() && !ledger.isFailed();
            if (!idle || canStepAside || !ledger.isExplicit() || begunNanos - askedNanos > 0) {
                return;
            }
            endingWith = ledger.isFailed() ? null : Ledger.SCHEMA_CHANGED;
            if (open == null) {
                end();
            } else {
                wait = Wait.OWN;
                open.abandon(this::end);
            }
        });
    }

    /** Ends the transaction. The client learns of it at its next statement. */
    private void end() {
        failOnPurpose(Mode.ENDING);
        sync();
    }

    // Time limits.

    /** Whether the age of the session or of its transaction requires an action. Any thread may call it. */
    boolean isDue(long nowMillis, Limits limits) {
        return ledger.isDue(nowMillis, limits);
    }

    /** Checks the ages soon, on the event loop. Any thread may call it. */
    void wake() {
        client.channel().eventLoop().execute(this::lookAtTheClock);
    }

    private void lookAtTheClock() {
        if (!client.channel().isActive()) {
            return;
        }
        boolean idle = wait == Wait.NOTHING && client.hasNothing() && !unsynced;
        PgError old = ledger.isToEnd();
        if (ledger.isToClose(idle)) {
            emulation.agedOut.increment();
            Channels.close(client.channel());
        } else if (idle && old != null) {
            endingWith = old;
            end();
        }
    }

    /** Drops the client without a message. Any thread may call it. */
    void drop() {
        Channels.reset(client.channel());
    }
}
