package dev.reservoir.pgwire.channel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Messages that have been read and not yet handled, in order. Its owner stops reading while it is full. Used only on
 * one event loop.
 */
public final class Inbox {
    /**
     * Most bytes read ahead, except for the message that crosses this bound. Reading ahead is needed, because only a
     * read shows that the other side has closed the connection.
     */
    private static final int MOST_BYTES = 64 << 10;

    private final Queue<ByteBuf> messages = new ArrayDeque<>();
    private int bytes;

    public void add(ByteBuf message) {
        bytes += message.readableBytes();
        messages.add(message);
    }

    /** The next message, or null if none waits. The caller must release it. */
    public @Nullable ByteBuf next() {
        ByteBuf message = messages.poll();
        if (message != null) {
            bytes -= message.readableBytes();
        }
        return message;
    }

    public boolean isEmpty() {
        return messages.isEmpty();
    }

    public boolean isFull() {
        return bytes >= MOST_BYTES;
    }

    public void clear() {
        messages.forEach(ByteBuf::release);
        messages.clear();
        bytes = 0;
    }
}
