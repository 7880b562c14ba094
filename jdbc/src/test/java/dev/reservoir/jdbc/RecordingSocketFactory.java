package dev.reservoir.jdbc;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Records and counts the bytes that the PostgreSQL driver sends, for tests that check what is not sent. The driver
 * creates it by its class name.
 */
public final class RecordingSocketFactory extends AbstractSocketFactory {
    private static final Queue<String> SENT = new ConcurrentLinkedQueue<>();

    /** The parameter to add to a URL. */
    public static final String PARAMETER = "socketFactory=" + RecordingSocketFactory.class.getName();

    /** Returns all bytes sent so far on all connections, with a line break after each write. */
    static String sent() {
        return String.join("\n", SENT);
    }

    /** Returns the number of writes on all connections since the last {@link #clear}. */
    public static int writes() {
        return SENT.size();
    }

    static void clear() {
        SENT.clear();
    }

    @Override
    public Socket createSocket() {
        return new RecordingSocket();
    }

    private static final class RecordingSocket extends Socket {
        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int b) throws IOException {
                    SENT.add(String.valueOf((char) b));
                    out.write(b);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    SENT.add(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
                    out.write(bytes, offset, length);
                }
            };
        }
    }
}
