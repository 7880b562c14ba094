package dev.reservoir.emulator.internal.upstream;

import io.netty.buffer.ByteBuf;

/** The server's end of one session. Used only on the session's event loop; never blocks. */
public interface Upstream {

    /** Sends a message at the next flush and releases it. */
    void write(ByteBuf frame);

    void flush();

    boolean isWritable();

    void reading(boolean on);

    void close();

    /** Receives the server's messages, always on the session's event loop. */
    interface Listener {

        /** Receives a whole message. The listener must release it. */
        void onMessage(ByteBuf frame);

        /** No further message has arrived for now. */
        default void onPause() {}

        /** The caller may write more again. */
        default void onWritable() {}

        /** The server has closed the connection, or never answered. */
        void onClosed();
    }
}
