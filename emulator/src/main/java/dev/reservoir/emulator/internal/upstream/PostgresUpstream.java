package dev.reservoir.emulator.internal.upstream;

import dev.reservoir.emulator.internal.wire.FrameDecoder;
import dev.reservoir.emulator.internal.wire.Io;
import dev.reservoir.emulator.internal.wire.Problem;
import dev.reservoir.emulator.internal.wire.ProblemException;
import dev.reservoir.emulator.internal.wire.Wire;
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

    private final Passwords passwords;
    private final String role;
    private final Map<String, String> parameters;
    private final Upstreams.Opening opening;
    private @Nullable Channel channel;
    private @Nullable Listener listener;
    private Passwords.@Nullable Exchange exchange;
    private boolean refused;

    PostgresUpstream(Passwords passwords, String role, Map<String, String> parameters, Upstreams.Opening opening) {
        this.passwords = passwords;
        this.role = role;
        this.parameters = parameters;
        this.opening = opening;
    }

    ChannelInitializer<Channel> initializer() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel fresh) {
                fresh.pipeline().addLast(new FrameDecoder(), PostgresUpstream.this);
            }
        };
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        exchange = passwords.exchange(role);
        Io.writeAndFlush(context.channel(), Wire.startup(parameters));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf frame = (ByteBuf) message;
        Listener told = listener;
        Passwords.@Nullable Exchange current = exchange;
        if (current == null && told != null) {
            told.onMessage(frame);
        } else if (Wire.type(frame) == 'R' && current != null) {
            ByteBuf answer = current.answer(Wire.body(frame));
            frame.release();
            if (answer != null) {
                Io.writeAndFlush(context.channel(), answer);
            } else if (current.isDone()) {
                exchange = null;
                listener = opening.opened(this);
            }
        } else {
            Problem problem = Problem.read(frame);
            frame.release();
            refused = true;
            opening.failed(new ProblemException(problem));
            Io.close(context.channel());
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
        Io.close(context.channel());
    }

    @Override
    public void write(ByteBuf frame) {
        if (channel != null) {
            Io.write(channel, frame);
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
            Io.writeAndClose(channel, Wire.terminate());
        }
    }
}
