package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.channel.Inbox;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of a session: its channel and the messages that have been read and not yet handled. It reads from
 * the client only while few bytes wait and the server can take more. It lets the server's end read only while the
 * client can take more. So memory holds little of either side. It also reads while a statement runs, because only a
 * read shows that the client has closed the connection.
 */
final class ClientChannel extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ClientChannel.class);

    private final Emulation emulation;
    final Channel channel;
    private final Upstream upstream;
    private final ClientSession session;
    private final Inbox inbox = new Inbox();

    ClientChannel(Emulation emulation, Channel channel, Upstream upstream, ClientSession session) {
        this.emulation = emulation;
        this.channel = channel;
        this.upstream = upstream;
        this.session = session;
    }

    boolean hasNothing() {
        return inbox.isEmpty();
    }

    /** The next message, or null if none waits. The caller must release it. */
    @Nullable
    ByteBuf next() {
        return inbox.next();
    }

    void regulate() {
        channel.config().setAutoRead(!inbox.isFull() && upstream.isWritable());
    }

    /** Sends a message at the next flush and releases it. */
    void deliver(ByteBuf frame) {
        Channels.write(channel, frame);
        if (!channel.isWritable()) {
            upstream.reading(false);
        }
    }

    /** Sends an error that the emulator itself raises, and counts it. */
    void deliverOwn(PgError error) {
        switch (error.code()) {
            case "0A000", "42704" -> emulation.statementsRefused.increment();
            case "40001" -> emulation.conflicts.increment();
            case "54000" -> emulation.transactionsOverLimit.increment();
            default -> LOG.debug("Answered with {}", error);
        }
        deliver(ServerMessages.error(error));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        inbox.add((ByteBuf) message);
        session.pump();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
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
            Channels.writeAndClose(channel, ServerMessages.error(PgError.fatal("08P01", "protocol violation")));
        } else {
            Channels.close(channel);
        }
    }
}
