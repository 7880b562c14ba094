package dev.reservoir.pgwire.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Channel operations without futures. A failed write or close ends the channel, and every handler here listens for that
 * end.
 */
@SuppressWarnings("FutureReturnValueIgnored")
public final class Channels {
    /** Longest time for the last message of a connection. The other side may have stopped reading. */
    private static final Duration LAST_MESSAGE_TIMEOUT = Duration.ofSeconds(5);

    private Channels() {}

    public static void write(Channel channel, Object message) {
        channel.write(message, channel.voidPromise());
    }

    public static void writeAndFlush(Channel channel, Object message) {
        channel.writeAndFlush(message, channel.voidPromise());
    }

    /** Closes the connection when the message has been sent, or when the other side does not read it for a while. */
    public static void writeAndClose(Channel channel, Object message) {
        channel.writeAndFlush(message).addListener(ChannelFutureListener.CLOSE);
        later(channel, LAST_MESSAGE_TIMEOUT, () -> close(channel));
    }

    public static void close(Channel channel) {
        channel.close();
    }

    /** Closes the connection so that the other side sees a reset. */
    public static void reset(Channel channel) {
        if (channel instanceof SocketChannel socket && channel.isOpen()) {
            socket.config().setSoLinger(0);
            // Bypasses the handlers, so that TLS sends no close_notify either.
            channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
        }
    }

    /**
     * Runs a task after a delay. A channel that is closed before drops the task, so that nothing keeps it in memory.
     */
    public static void later(Channel channel, Duration delay, Runnable task) {
        ScheduledFuture<?> scheduled = channel.eventLoop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        ChannelFutureListener cancel = closed -> scheduled.cancel(false);
        channel.closeFuture().addListener(cancel);
        scheduled.addListener(ended -> channel.closeFuture().removeListener(cancel));
    }

    /** Runs a task on the channel's event loop, or drops it if the event loop has ended. */
    public static void onLoop(Channel channel, Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            // The channel has been closed with its event loop.
        }
    }

    public static void onClose(Channel channel, Runnable task) {
        channel.closeFuture().addListener(closed -> task.run());
    }
}
