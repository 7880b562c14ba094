package dev.reservoir.emulator.internal.upstream;

import io.netty.buffer.ByteBuf;

/** The server's end of one session. Used on the session's event loop alone; never blocks. */
public interface Upstream {

    /** Sends a message at the next flush, and releases it. */
    void write(ByteBuf frame);

    void flush();

    /** Whether more may be written now. */
    boolean isWritable();

    /** Whether answers are to be read now. */
    void reading(boolean on);

    void close();

    /** Who is told what the server says; always on the session's event loop. */
    interface Listener {

        /** A whole message, which the listener releases. */
        void onMessage(ByteBuf frame);

        /** Nothing more has arrived for now. */
        void onPause();

        void onWritable();

        /** The server is gone, or never was there. */
        void onClosed();
    }
}
