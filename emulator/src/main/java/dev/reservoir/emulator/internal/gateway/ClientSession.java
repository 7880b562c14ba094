package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Call;
import dev.reservoir.emulator.internal.conflict.Injected;
import dev.reservoir.emulator.internal.conflict.OwnStatements;
import dev.reservoir.emulator.internal.conflict.WriteTransaction;
import dev.reservoir.emulator.internal.gateway.SessionState.Wait;
import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
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
import java.util.Iterator;
import java.util.List;
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
 * <p>This class takes the client's messages one by one. {@link StatementRunner} runs or refuses the statements,
 * {@link ServerAnswers} handles what the server answers, and {@link LockConflicts} what other transactions need. Used
 * only on the client's event loop, except where a comment says otherwise. Never blocks.
 */
final class ClientSession implements Upstream.Listener {
    // What the classes of this session share.
    final Emulation emulation;
    final Upstream upstream;
    final ClientChannel client;
    final SessionState state = new SessionState();
    final TransactionTracker tracker;
    final StatementNames names = new StatementNames();
    final OwnStatements own;
    final RunningStatement running;
    final StatementRunner statements;
    final LockConflicts locks;

    private final Upstreams upstreams;
    private final ServerAnswers answers;

    private Runnable whenOpen = () -> {};
    private boolean pumping;

    /** Whether the schema {@code sys} is known to exist, so that statements with ASYNC become jobs. */
    private boolean hasSys;

    /** Whether the schema was just requested for the current message, which goes on with or without it. */
    private boolean hasAskedForSys;

    private int processId;
    private int secret;

    ClientSession(Emulation emulation, Channel channel, Upstreams upstreams, Upstream upstream) {
        this.emulation = emulation;
        this.upstreams = upstreams;
        this.upstream = upstream;
        client = new ClientChannel(emulation, channel, upstream, this);
        tracker = new TransactionTracker(emulation);
        own = new OwnStatements(upstream, state::busy);
        running = new RunningStatement(client);
        statements = new StatementRunner(this);
        answers = new ServerAnswers(this);
        locks = new LockConflicts(this);
    }

    // The start.

    /** Sets the task that runs when the server is ready for the first statement. */
    void whenOpen(Runnable task) {
        whenOpen = task;
    }

    private void opening(char type, ByteBuf frame) {
        if (type == 'E') {
            Channels.writeAndClose(client.channel, frame);
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
            state.wait = Wait.NOTHING;
            emulation.add(this);
            whenOpen.run();
            pump();
        }
    }

    // The client's messages.

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
        if (state.locksRequested) {
            locks.release();
        }
        return state.wait == Wait.NOTHING && !state.cancelling ? client.next() : null;
    }

    private void handle(ByteBuf frame) {
        char type = Frames.type(frame);
        boolean isVoid = (state.skipping && type != 'S' && type != 'X')
                || (!state.copying && (type == 'd' || type == 'c' || type == 'f'));
        // PostgreSQL ignores them too: some clients send them before they know that a COPY has begun.
        boolean ignored = state.copying && (type == 'S' || type == 'H');
        if (isVoid || ignored) {
            frame.release();
            return;
        }
        switch (type) {
            case 'Q' -> query(frame);
            case 'P' -> parse(frame);
            case 'E' -> execute(frame);
            case 'B', 'C', 'D' -> {
                statements.beginWritingBefore(names.note(type, frame));
                state.owed++;
                state.unsynced = true;
                upstream.write(frame);
            }
            case 'S' -> {
                frame.release();
                sync();
            }
            case 'c', 'f' -> {
                state.copying = false;
                state.awaitExecute();
                upstream.write(frame);
                upstream.write(ClientMessages.flush());
            }
            case 'd' -> {
                running.copied(frame.readableBytes() - Frames.HEADER);
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
                Channels.close(client.channel);
            }
        }
    }

    private void query(ByteBuf frame) {
        String sql = Frames.text(Frames.body(frame));
        List<Statement> found = Statements.of(sql);
        if (needsSys() && StatementNames.usesSys(found)) {
            prepareSys(frame);
            return;
        }
        frame.release();
        run((found.isEmpty() ? List.of(new Statement("", 0, Kind.OTHER, null)) : found).iterator());
    }

    private void run(Iterator<Statement> script) {
        state.script = script;
        nextOfScript(script);
    }

    void nextOfScript(Iterator<Statement> rest) {
        if (!rest.hasNext()) {
            sync();
            return;
        }
        Statement found = rest.next();
        Statement next = hasSys ? found.asJob() : found;
        statements.begin(Call.plain(next), next.sql().length(), () -> Injected.statement(upstream, next.sql()));
    }

    private boolean needsSys() {
        return !hasSys && !hasAskedForSys;
    }

    /** Creates the schema sys, if it is missing, before a message that needs it. */
    private void prepareSys(ByteBuf frame) {
        state.wait = Wait.OWN;
        upstreams.prepareSys(client.channel.eventLoop(), there -> {
            hasSys = there;
            state.wait = Wait.NOTHING;
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
        state.unsynced = true;
        StatementNames.Parsed parsed = names.parsed(frame, hasSys);
        PgError why = parsed.statement().refusal();
        if (why == null) {
            statements.beginWritingBefore(parsed.statement().kind());
            state.owed++;
            upstream.write(parsed.frame());
        } else {
            parsed.frame().release();
            statements.refuse(why);
        }
    }

    private void execute(ByteBuf frame) {
        ByteBuf body = Frames.body(frame);
        Call call = names.call(Frames.text(body), body.readInt());
        // The copy is on the heap: it needs no release if it is never sent.
        ByteBuf copy = Unpooled.copiedBuffer(frame);
        frame.release();
        statements.begin(call, call.bytes(), () -> upstream.write(copy));
    }

    void sync() {
        state.skipping = false;
        state.wait = Wait.READY;
        state.busy();
        upstream.write(ClientMessages.sync());
        upstream.flush();
    }

    // The server's messages.

    @Override
    public void onMessage(ByteBuf frame) {
        if (state.wait == Wait.OPENING) {
            opening(Frames.type(frame), frame);
        } else if (own.isRunning() && state.owed == 0) {
            own.onMessage(frame);
        } else {
            answers.onMessage(frame);
        }
    }

    @Override
    public void onPause() {
        client.channel.flush();
    }

    @Override
    public void onWritable() {
        client.regulate();
    }

    @Override
    public void onClosed() {
        client.channel.flush();
        Channels.close(client.channel);
    }

    // The ends of transactions and of the session.

    void endWriting(boolean committed) {
        WriteTransaction open = state.writing;
        if (open != null && committed) {
            emulation.conflictsMet.committed(open.contender);
        } else if (open != null) {
            emulation.conflictsMet.rolledBack(open.contender);
        }
        state.notWriting();
    }

    /** Asks the server to cancel the running statement. Runs {@code asked} when the server has the request. */
    void cancelStatement(Runnable asked) {
        upstreams.cancel(client.channel.eventLoop(), processId, secret, asked);
    }

    /**
     * The client has closed the connection. Cancels its statement, because the server would otherwise run it to the end
     * and keep all locks.
     */
    void gone() {
        endWriting(false);
        if (state.busySinceNanos != 0 && !client.channel.eventLoop().isShuttingDown()) {
            cancelStatement(() -> {});
        }
        running.releaseHeld();
    }

    /** Whether the session is between two requests of its client. */
    boolean isIdle() {
        return state.wait == Wait.NOTHING && client.hasNothing() && !state.unsynced;
    }

    /** Checks the ages soon, on the event loop. Any thread may call it. */
    void wake() {
        client.channel.eventLoop().execute(this::checkAges);
    }

    void checkAges() {
        if (!client.channel.isActive()) {
            return;
        }
        boolean idle = isIdle();
        PgError old = tracker.isToEnd();
        if (tracker.isToClose(idle)) {
            emulation.agedOut.increment();
            Channels.close(client.channel);
        } else if (idle && old != null) {
            statements.end(old);
        }
    }

    /** Drops the client without a message. Any thread may call it. */
    void drop() {
        Channels.reset(client.channel);
    }

    /** The process of the server. Any thread may call it. */
    int processId() {
        return processId;
    }
}
