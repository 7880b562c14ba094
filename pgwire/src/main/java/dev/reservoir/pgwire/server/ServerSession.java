package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.ClientInfo;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.QueryHandler;
import dev.reservoir.pgwire.TransactionStatus;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.channel.Inbox;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.message.ServerMessages;
import dev.reservoir.pgwire.sql.SqlText;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of a server, from its login to the end.
 *
 * <p>Messages are handled one after the other, on the event loop. A message that needs the handler is a call on a
 * worker thread; the next message waits for its end. Rows are sent in batches. After each batch the session waits until
 * the client has read enough, so memory holds little of a long result.
 *
 * <p>A simple query is a script of statements, each without a name. An error ends the script. In the extended protocol
 * an error makes the session ignore messages up to the next Sync.
 *
 * <p>Used only on the event loop, except where a comment says otherwise. Never blocks it.
 */
final class ServerSession extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ServerSession.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The version of PostgreSQL that clients are told. Drivers choose their statements by it. */
    private static final String SERVER_VERSION = "16.0";

    private final ServerConfig config;
    private final Channel channel;
    private final Sessions sessions;
    private final int processId;
    private final int secret = RANDOM.nextInt();
    private final HandlerCalls calls;
    private final IdleTimer idleTimer;
    private final NamedStatements names = new NamedStatements();

    /** Set before the first message, by a worker thread whose call has ended then. */
    private @Nullable QueryHandler handler;

    private final Inbox inbox = new Inbox();

    /** Whether the next message waits: for a call to the handler, or for {@link #whenWritable}. */
    private boolean waiting;

    /** Goes on with the running statement when the client has read enough, or null. */
    private @Nullable Runnable whenWritable;

    /** The rest of a simple query, or null outside a simple query. */
    private @Nullable Iterator<SqlText> script;

    /** The position of the running statement in the client's text, in characters. */
    private int offset;

    /** The session ignores the client's messages up to the next Sync. */
    private boolean skipping;

    /** The session ignores all messages, because the connection is being closed. */
    private boolean ending;

    ServerSession(ServerConfig config, Channel channel, Sessions sessions, Executor workers) {
        this.config = config;
        this.channel = channel;
        this.sessions = sessions;
        processId = sessions.nextProcessId();
        calls = new HandlerCalls(workers, task -> Channels.onLoop(channel, task));
        idleTimer = new IdleTimer(channel, config.idleTimeout(), () -> waiting && whenWritable == null, this::endIdle);
    }

    int processId() {
        return processId;
    }

    // The start and the end.

    /** Creates the handler and greets the client. Then runs {@code whenOpen}, which adds this to the pipeline. */
    void open(ClientInfo client, Runnable whenOpen) {
        waiting = true;
        calls.submit(
                () -> {
                    QueryHandler opened = config.handlers().open(client);
                    handler = opened;
                    return opened;
                },
                opened -> called(() -> {
                    sessions.add(this);
                    ServerMessages.greeting(SERVER_VERSION, processId, secret).forEach(this::write);
                    ready();
                    whenOpen.run();
                    idleTimer.start();
                }),
                error -> endWith(PgError.fatal(error.code(), error.message())));
    }

    void closed() {
        sessions.remove(this);
        calls.close(() -> {
            try {
                if (handler != null) {
                    handler.close();
                }
            } catch (RuntimeException e) {
                LOG.warn("The handler of a session did not close well", e);
            } finally {
                sessions.leave();
            }
        });
    }

    /** Ends the session with an error. Any thread may call it. */
    void end(PgError error) {
        Channels.onLoop(channel, () -> endWith(error));
    }

    private void endWith(PgError error) {
        ending = true;
        Channels.writeAndClose(channel, ServerMessages.error(error));
    }

    private void endIdle() {
        if (channel.isWritable()) {
            endWith(PgError.fatal("57P05", "terminating connection due to idle-session timeout"));
        } else {
            // The client reads nothing, so it would not read an error either.
            Channels.close(channel);
        }
    }

    /** Cancels the running statement, if there is one and the secret is right. Any thread may call it. */
    void cancel(int givenSecret) {
        Channels.onLoop(channel, () -> {
            if (givenSecret == secret && waiting) {
                calls.cancel();
            }
        });
    }

    // Messages.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        // A client that sends and does not read counts as idle. Otherwise it could go on for ever.
        if (channel.isWritable()) {
            idleTimer.active();
        }
        inbox.add((ByteBuf) message);
        pump();
    }

    /** Handles the client's messages until one of them has to wait, or the client has to read first. */
    private void pump() {
        while (!waiting && !ending && channel.isActive() && isWritableNow()) {
            ByteBuf frame = inbox.next();
            if (frame == null) {
                break;
            }
            try {
                handle(Frames.type(frame), Frames.body(frame));
            } catch (PgException e) {
                fail(e.error());
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                violated(e);
            } catch (RuntimeException e) {
                fail(HandlerCalls.internalError(e));
            } finally {
                frame.release();
            }
        }
        channel.flush();
        channel.config().setAutoRead(!inbox.isFull());
    }

    private boolean isWritableNow() {
        if (!channel.isWritable()) {
            channel.flush();
        }
        return channel.isWritable();
    }

    private void handle(char type, ByteBuf body) {
        if (skipping && type != 'S' && type != 'X') {
            return;
        }
        calls.beginRequest();
        offset = 0;
        switch (type) {
            case 'Q' -> query(Frames.text(body));
            case 'P' -> parse(body);
            case 'B' -> {
                names.bind(body);
                write(ServerMessages.bindComplete());
            }
            case 'D' -> names.describe(body).forEach(this::write);
            case 'E' -> execute(body);
            case 'C' -> {
                names.close(body);
                write(ServerMessages.closeComplete());
            }
            case 'S' -> {
                skipping = false;
                ready();
            }
            case 'H', 'd', 'c', 'f' -> {
                // Flush: all answers are flushed anyway. Copy data: no COPY is running, and PostgreSQL ignores it too.
            }
            case 'F' -> {
                write(ServerMessages.error(PgError.error("0A000", "function calls are not supported")));
                ready();
            }
            case 'X' -> {
                ending = true;
                Channels.close(channel);
            }
            default -> throw new IllegalArgumentException("a message of type " + (int) type);
        }
    }

    private void query(String sql) {
        script = Collections.emptyIterator();
        names.forgetUnnamed();
        List<SqlText> found = SqlText.split(sql);
        if (found.isEmpty()) {
            write(ServerMessages.emptyQuery());
        }
        nextOfScript(found.iterator());
    }

    private void nextOfScript(Iterator<SqlText> rest) {
        if (!rest.hasNext()) {
            script = null;
            ready();
            return;
        }
        script = rest;
        SqlText next = rest.next();
        offset = next.offset();
        call(() -> new Portal(prepare(next, List.of()), List.of(), Formats.TEXT), portal -> {
            if (!portal.statement().parameterOids().isEmpty()) {
                throw new PgException(PgError.error("42P02", "there is no parameter $1"));
            }
            fetch(portal, Long.MAX_VALUE, true);
        });
    }

    private Prepared prepare(SqlText text, List<Integer> typeOids) throws InterruptedException {
        return Prepared.of(handler().prepare(text.sql()), text.offset(), typeOids);
    }

    private void parse(ByteBuf body) {
        ParseMessage parse = ParseMessage.read(body);
        names.prepareFor(parse.name());
        SqlText text = parse.text();
        offset = text == null ? 0 : text.offset();
        call(() -> text == null ? Prepared.empty() : prepare(text, parse.typeOids()), prepared -> {
            names.add(parse.name(), prepared);
            write(ServerMessages.parseComplete());
        });
    }

    private void execute(ByteBuf body) {
        Portal portal = names.portal(Frames.text(body));
        int most = body.readInt();
        if (portal.statement().query() == null) {
            write(ServerMessages.emptyQuery());
            return;
        }
        offset = portal.statement().offset();
        portal.beginExecute();
        fetch(portal, most > 0 ? most : Long.MAX_VALUE, false);
    }

    /** Sends at most this many rows of a result, batch by batch, and then says whether it has ended. */
    private void fetch(Portal portal, long most, boolean describes) {
        call(() -> portal.fetch(most), batch -> {
            if (describes && portal.hasRows()) {
                write(portal.description());
            }
            batch.rows().forEach(this::write);
            long left = most - batch.rows().size();
            Iterator<SqlText> rest = script;
            if (!batch.isLast() && left > 0) {
                proceedWhenWritable(() -> fetch(portal, left, false));
            } else if (!batch.isLast()) {
                write(ServerMessages.portalSuspended());
            } else {
                write(ServerMessages.commandComplete(portal.tag()));
                if (rest != null) {
                    proceedWhenWritable(() -> nextOfScript(rest));
                }
            }
        });
    }

    private void proceedWhenWritable(Runnable task) {
        if (isWritableNow()) {
            task.run();
        } else {
            waiting = true;
            whenWritable = task;
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (!channel.isWritable()) {
            return;
        }
        idleTimer.active();
        Runnable task = whenWritable;
        if (task == null) {
            // Not at once, because this may be inside a flush of the loop that handles messages.
            Channels.onLoop(channel, this::pump);
        } else {
            whenWritable = null;
            called(task);
        }
    }

    // Answers.

    private void write(ByteBuf message) {
        Channels.write(channel, message);
    }

    private void ready() {
        TransactionStatus status;
        try {
            status = handler().transactionStatus();
        } catch (RuntimeException e) {
            PgError error = HandlerCalls.internalError(e);
            endWith(PgError.fatal(error.code(), error.message()));
            return;
        }
        if (status == TransactionStatus.IDLE) {
            names.forgetPortals();
        }
        write(ServerMessages.ready(status.letter()));
    }

    private void fail(PgError error) {
        boolean isSimple = script != null;
        script = null;
        if (error.isFatal()) {
            endWith(error);
            return;
        }
        write(ServerMessages.error(error.shifted(offset)));
        if (isSimple) {
            ready();
        } else {
            skipping = true;
        }
    }

    private void violated(Throwable cause) {
        LOG.debug("A session ends", cause);
        String reason = cause.getMessage() == null ? "malformed message" : cause.getMessage();
        endWith(PgError.fatal("08P01", "protocol violation: " + reason));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof DecoderException) {
            violated(cause);
        } else {
            LOG.debug("A session ends: {}", cause.toString());
            Channels.close(channel);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        inbox.clear();
    }

    // Calls to the handler.

    private QueryHandler handler() {
        QueryHandler open = handler;
        if (open == null) {
            throw new IllegalStateException("bug: a message before the handler is there");
        }
        return open;
    }

    /** Runs a call on a worker thread, and {@code then} with its result on the event loop. */
    private <T> void call(HandlerCalls.Call<T> call, Consumer<T> then) {
        waiting = true;
        calls.submit(call, result -> called(() -> then.accept(result)), error -> called(() -> fail(error)));
    }

    private void called(Runnable then) {
        if (!channel.isActive()) {
            return;
        }
        waiting = false;
        idleTimer.active();
        try {
            then.run();
        } catch (PgException e) {
            fail(e.error());
        } catch (RuntimeException e) {
            fail(HandlerCalls.internalError(e));
        }
        pump();
    }
}
