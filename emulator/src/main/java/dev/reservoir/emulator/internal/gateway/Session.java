package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.emulator.internal.sql.Statements;
import dev.reservoir.emulator.internal.wire.Problem;
import dev.reservoir.emulator.internal.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client and its server, from the first ReadyForQuery to the end.
 *
 * <p>Messages pass through one after the other. After each Execute and each Sync the session waits for the server's answer before it
 * takes the client's next message, so that at every statement it knows exactly what the transaction has done so far, however much the
 * client has sent ahead. A Sync, and with it the commit of what came before, is not passed on until every statement before it is known
 * to be within the limits. What the client sends meanwhile stays in its socket, but for what had been read already.
 *
 * <p>A simple query is cut into its statements, and each is carried out by the extended protocol, all before one Sync: that is the same
 * implicit transaction, and there is one way for everything.
 *
 * <p>A refusal is never made up beside the server. In the place of what is refused the server gets a statement that is bound to fail, and
 * its error is exchanged for ours. So it is the server that skips to the next Sync, fails the transaction, answers 25P02 from then on and
 * commits nothing, and the two sides cannot fall out of step.
 *
 * <p>Used on the client's event loop alone, but for {@link #isDue}, {@link #wake} and {@link #drop}. Never blocks.
 */
final class Session implements Upstream.Listener {
    /** What the next message of the client waits for. */
    private enum Wait {
        OPENING,
        NOTHING,
        DELAY,
        EXECUTE,
        READY
    }

    /** What is done with the server's answers. */
    private enum Mode {
        /** They are the client's. */
        PLAIN,
        /** An error bound to come is exchanged for the one in {@link #refusal}. */
        REFUSING,
        /** An error bound to come is kept: the client has ours already. */
        SPOILING,
        /** A ROLLBACK in the place of a COMMIT; the client gets {@link #refusal}. */
        ROLLING_BACK,
        /** All are kept, the ReadyForQuery, too: the client has asked for nothing. */
        ENDING
    }

    private final Emulation emulation;
    private final Upstream upstream;
    private final ClientEnd client;
    private final Ledger ledger;
    private final Names names = new Names();

    private Runnable whenOpen = () -> {};
    private Wait wait = Wait.OPENING;
    private Mode mode = Mode.PLAIN;
    private @Nullable Problem refusal;

    /** The rest of a simple query; null while there is none. */
    private @Nullable Iterator<Statement> script;

    private Statement current = new Statement("", 0, Kind.OTHER, null);
    private long currentBytes;

    /** Answers that the client has a right to before those of the statement that runs. */
    private int owed;

    /** The client's messages up to the next Sync are void. */
    private boolean skipping;

    private boolean copying;
    private boolean unsynced;
    private boolean pumping;
    private int delays;

    Session(Emulation emulation, Channel channel, Upstream upstream) {
        this.emulation = emulation;
        this.upstream = upstream;
        client = new ClientEnd(emulation, channel, upstream, this);
        ledger = new Ledger(emulation);
    }

    /** What to do when the server is ready for the first statement. */
    void whenOpen(Runnable task) {
        whenOpen = task;
    }

    /** What is to handle the client's messages from then on. */
    ChannelHandler handler() {
        return client;
    }

    // The client's side.

    /** Takes the client's messages as long as nothing has to be waited for. */
    void pump() {
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            ByteBuf frame = wait == Wait.NOTHING ? client.next() : null;
            while (frame != null) {
                handle(frame);
                frame = wait == Wait.NOTHING ? client.next() : null;
            }
        } finally {
            pumping = false;
        }
        upstream.flush();
        client.regulate();
    }

    private void handle(ByteBuf frame) {
        char type = Wire.type(frame);
        boolean isVoid =
                (skipping && type != 'S' && type != 'X') || (!copying && (type == 'd' || type == 'c' || type == 'f'));
        // As PostgreSQL does: some clients send them before they know that a COPY has begun.
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
                names.note(type, frame);
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
                upstream.write(frame);
                upstream.write(Wire.flush());
            }
            case 'd' -> {
                currentBytes += frame.readableBytes() - Wire.HEADER;
                upstream.write(frame);
            }
            case 'H' -> upstream.write(frame);
            case 'F' -> {
                frame.release();
                Problem why = Problem.error("0A000", "unsupported statement: function call");
                run(List.of(new Statement("", 0, Kind.OTHER, why)).iterator());
            }
            default -> {
                frame.release();
                if (type != 'X') {
                    throw new IllegalArgumentException("a message of type " + (int) type);
                }
                Io.close(client.channel());
            }
        }
    }

    private void query(ByteBuf frame) {
        String sql = Wire.text(Wire.body(frame));
        frame.release();
        List<Statement> statements = Statements.of(sql);
        run((statements.isEmpty() ? List.of(new Statement("", 0, Kind.OTHER, null)) : statements).iterator());
    }

    private void run(Iterator<Statement> statements) {
        script = statements;
        nextOfScript(statements);
    }

    private void nextOfScript(Iterator<Statement> rest) {
        if (!rest.hasNext()) {
            sync();
            return;
        }
        Statement next = rest.next();
        begin(next, next.sql().length(), () -> Injected.statement(upstream, next.sql()));
    }

    private void parse(ByteBuf frame) {
        unsynced = true;
        Names.Parsed parsed = names.parsed(frame);
        Problem why = parsed.statement().refusal();
        if (why == null) {
            owed++;
            upstream.write(parsed.frame());
        } else {
            parsed.frame().release();
            refuse(why);
        }
    }

    private void execute(ByteBuf frame) {
        Names.Portal portal = names.portal(Wire.text(Wire.body(frame)));
        // A copy, which nobody has to release if it is never sent.
        ByteBuf copy = Unpooled.copiedBuffer(frame);
        frame.release();
        begin(portal.statement(), portal.bytes(), () -> upstream.write(copy));
    }

    private void sync() {
        skipping = false;
        wait = Wait.READY;
        upstream.write(Wire.sync());
        upstream.flush();
    }

    // Statements.

    /** Carries a statement out, after the delay that is asked for, unless it is refused. */
    private void begin(Statement statement, long bytes, Runnable send) {
        Duration delay = emulation.faults.slowStatements();
        if (delay.isZero() || statement.kind() == Kind.BEGIN) {
            attempt(statement, bytes, send);
            return;
        }
        wait = Wait.DELAY;
        int ticket = ++delays;
        upstream.flush();
        Io.later(client.channel().eventLoop(), delay, () -> {
            if (wait == Wait.DELAY && ticket == delays && client.channel().isActive()) {
                wait = Wait.NOTHING;
                attempt(statement, bytes, send);
                pump();
            }
        });
    }

    private void attempt(Statement statement, long bytes, Runnable send) {
        unsynced = true;
        current = statement;
        currentBytes = bytes;
        Problem why = statement.refusal() != null ? statement.refusal() : ledger.begin(statement.kind());
        if (why == null) {
            send.run();
            upstream.write(Wire.flush());
            wait = Wait.EXECUTE;
        } else if (statement.kind() == Kind.COMMIT && ledger.isExplicit()) {
            refuseCommit(why);
        } else {
            refuse(why);
        }
    }

    private void refuse(Problem why) {
        refusal = why;
        failOnPurpose(Mode.REFUSING);
        wait = Wait.EXECUTE;
    }

    private void failOnPurpose(Mode purpose) {
        mode = purpose;
        Injected.failure(upstream);
        upstream.flush();
    }

    /** A COMMIT that fails ends its transaction, unlike any other statement. */
    private void refuseCommit(Problem why) {
        refusal = why;
        mode = Mode.ROLLING_BACK;
        Injected.rollback(upstream);
        upstream.flush();
        wait = Wait.EXECUTE;
    }

    // The server's side.

    @Override
    public void onMessage(ByteBuf frame) {
        char type = Wire.type(frame);
        if (wait == Wait.OPENING) {
            opening(type, frame);
            return;
        }
        switch (type) {
            case 'E' -> failed(frame);
            case 'Z' -> ready(frame);
            case 'C', 'I', 's' -> completed(type, frame);
            case '1', '2', '3', 'n', 'T' -> answered(type, frame);
            case 'G' -> {
                copying = true;
                client.deliver(frame);
                wait = Wait.NOTHING;
                pump();
            }
            default -> client.deliver(frame);
        }
    }

    private void opening(char type, ByteBuf frame) {
        if (type == 'E') {
            Io.writeAndClose(client.channel(), frame);
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
        Io.close(client.channel());
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
            client.deliver(frame);
        }
    }

    private void completed(char type, ByteBuf frame) {
        if (mode == Mode.ROLLING_BACK) {
            frame.release();
            ledger.rolledBack();
            deliverRefusal();
            return;
        }
        if (type == 'C') {
            String tag = Wire.text(Wire.body(frame));
            if (tag.equals("DEALLOCATE ALL")) {
                names.forget();
            }
            Problem instead = ledger.ended(current.kind(), tag);
            if (instead != null) {
                frame.release();
                client.deliverOwn(instead);
                afterFailure();
                return;
            }
            Problem over = ledger.counted(current.kind(), tag, currentBytes);
            if (over != null) {
                frame.release();
                client.deliverOwn(over);
                failOnPurpose(Mode.SPOILING);
                return;
            }
        }
        client.deliver(frame);
        wait = Wait.NOTHING;
        Iterator<Statement> rest = script;
        if (rest != null) {
            nextOfScript(rest);
        }
        pump();
    }

    private void deliverRefusal() {
        if (refusal != null) {
            client.deliverOwn(refusal);
            refusal = null;
        }
    }

    private void failed(ByteBuf frame) {
        Problem problem = Problem.read(frame);
        frame.release();
        owed = 0;
        copying = false;
        ledger.failed();
        if (!Injected.isFailure(problem)) {
            translate(problem);
        } else if (mode == Mode.REFUSING) {
            deliverRefusal();
        }
        afterFailure();
    }

    private void translate(Problem problem) {
        switch (problem.code()) {
            case "40001", "40P01" ->
                client.deliverOwn(Problem.error("40001", "change conflicts with another transaction (OC000)"));
            case "25P02" -> {
                Problem unseen = ledger.unseen();
                if (unseen == null) {
                    client.deliver(problem.encode());
                } else {
                    client.deliverOwn(unseen);
                }
            }
            default ->
                client.deliver(
                        problem.shifted(script == null ? 0 : current.offset()).encode());
        }
    }

    /** The client has its error: nothing it has sent counts until its next Sync. */
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
        char status = (char) Wire.body(frame).readByte();
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
        unsynced = false;
        wait = Wait.NOTHING;
        if (kept) {
            frame.release();
            ledger.endedUnseen();
        } else {
            client.deliver(frame);
        }
        pump();
        if (isDue(emulation.clock.millis(), emulation.limits())) {
            client.channel().flush();
            lookAtTheClock();
        }
    }

    // Time.

    /** Whether there is something to do for it because of the time. For any thread. */
    boolean isDue(long nowMillis, Limits limits) {
        return ledger.isDue(nowMillis, limits);
    }

    /** Looks at the clock soon. For any thread. */
    void wake() {
        client.channel().eventLoop().execute(this::lookAtTheClock);
    }

    private void lookAtTheClock() {
        if (!client.channel().isActive()) {
            return;
        }
        boolean idle = wait == Wait.NOTHING && client.hasNothing() && !unsynced;
        if (ledger.isToClose(idle)) {
            emulation.agedOut.increment();
            Io.close(client.channel());
        } else if (idle && ledger.isToEnd()) {
            failOnPurpose(Mode.ENDING);
            sync();
        }
    }

    /** Drops the client without a word. For any thread. */
    void drop() {
        Io.reset(client.channel());
    }
}
