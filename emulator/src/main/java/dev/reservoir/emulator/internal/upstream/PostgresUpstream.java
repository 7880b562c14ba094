package dev.reservoir.emulator.internal.upstream;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.auth.ClientPassword;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.FrameDecoder;
import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One session with PostgreSQL. Sends the startup message and the password, then passes messages on. */
final class PostgresUpstream extends ChannelInboundHandlerAdapter implements Upstream {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresUpstream.class);

    private final ClientPassword password;
    private final String role;
    private final Map<String, String> parameters;
    private final Upstreams.Opening opening;
    private @Nullable Channel channel;
    private @Nullable Listener listener;
    private ClientPassword.@Nullable Exchange exchange;
    private boolean refused;

    PostgresUpstream(ClientPassword password, String role, Map<String, String> parameters, Upstreams.Opening opening) {
        this.password = password;
        this.role = role;
        this.parameters = parameters;
        this.opening = opening;
    }

    ChannelInitializer<Channel> initializer() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel fresh) {
                fresh.pipeline().addLast(new FrameDecoder(Frames.LONGEST_MESSAGE), PostgresUpstream.this);
            }
        };
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        exchange = password.exchange(role);
        Channels.writeAndFlush(context.channel(), ClientMessages.startup(parameters));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf frame = (ByteBuf) message;
        Listener client = listener;
        ClientPassword.@Nullable Exchange current = exchange;
        if (current == null && client != null) {
            client.onMessage(frame);
        } else if (Frames.type(frame) == 'R' && current != null) {
            ByteBuf answer = current.answer(Frames.body(frame));
            frame.release();
            if (answer != null) {
                Channels.writeAndFlush(context.channel(), answer);
            } else if (current.isDone()) {
                exchange = null;
                listener = opening.opened(this);
            }
        } else {
            PgError error = Frames.error(frame);
            frame.release();
            refused = true;
            opening.failed(new PgException(error));
            Channels.close(context.channel());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (listener != null) {
            listener.onPause();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (listener != null) {
            listener.onWritable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (listener != null) {
            listener.onClosed();
        } else if (!refused) {
            opening.failed(new IllegalStateException("the connection was closed"));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A server's end of a session ends", cause);
        Channels.close(context.channel());
    }

    @Override
    public void write(ByteBuf frame) {
        if (channel != null) {
            Channels.write(channel, frame);
        }
    }

    @Override
    public void flush() {
        if (channel != null) {
            channel.flush();
        }
    }

    @Override
    public boolean isWritable() {
        return channel == null || channel.isWritable();
    }

    @Override
    public void reading(boolean on) {
        if (channel != null) {
            channel.config().setAutoRead(on);
        }
    }

    @Override
    public void close() {
        if (channel != null) {
            Channels.writeAndClose(channel, ClientMessages.terminate());
        }
    }
}
