package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.emulator.internal.wire.Io;
import dev.reservoir.emulator.internal.wire.Problem;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of a session: its channel, and what has been read from it and waits for its turn. Reads on only while little waits and
 * the server can take more, and has the server read on only while the client can take more: so little of either is held in memory. Reads on
 * while a statement runs, because only who reads notices that the client has gone.
 */
final class ClientEnd extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ClientEnd.class);

    /** Not more than this is read ahead, but for the message in which it is reached. */
    private static final int MOST_AHEAD = 64 << 10;

    private final Emulation emulation;
    private final Channel channel;
    private final Upstream upstream;
    private final ClientSession session;
    private final Queue<ByteBuf> inbox = new ArrayDeque<>();
    private int inboxBytes;

    ClientEnd(Emulation emulation, Channel channel, Upstream upstream, ClientSession session) {
        this.emulation = emulation;
        this.channel = channel;
        this.upstream = upstream;
        this.session = session;
    }

    Channel channel() {
        return channel;
    }

    boolean hasNothing() {
        return inbox.isEmpty();
    }

    /** The next message, to be released by who takes it; null if there is none. */
    @Nullable
    ByteBuf next() {
        ByteBuf frame = inbox.poll();
        if (frame != null) {
            inboxBytes -= frame.readableBytes();
        }
        return frame;
    }

    void regulate() {
        channel.config().setAutoRead(inboxBytes < MOST_AHEAD && upstream.isWritable());
    }

    /** Sends a message at the next flush, and releases it. */
    void deliver(ByteBuf frame) {
        Io.write(channel, frame);
        if (!channel.isWritable()) {
            upstream.reading(false);
        }
    }

    /** Sends an error of the emulator's own, and counts it. */
    void deliverOwn(Problem problem) {
        switch (problem.code()) {
            case "0A000", "42704" -> emulation.statementsRefused.increment();
            case "40001" -> emulation.conflicts.increment();
            case "54000" -> emulation.transactionsOverLimit.increment();
            default -> LOG.debug("Answered with {}", problem);
        }
        deliver(problem.encode());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf frame = (ByteBuf) message;
        inboxBytes += frame.readableBytes();
        inbox.add(frame);
        session.pump();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        inbox.forEach(ByteBuf::release);
        inbox.clear();
        emulation.remove(session);
        session.gone();
        upstream.close();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        upstream.reading(channel.isWritable());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A session ends", cause);
        if (cause instanceof RuntimeException) {
            Io.writeAndClose(
                    channel, Problem.fatal("08P01", "protocol violation").encode());
        } else {
            Io.close(channel);
        }
    }
}
