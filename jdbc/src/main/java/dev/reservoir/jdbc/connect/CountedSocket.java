package dev.reservoir.jdbc.connect;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A socket that another thread can observe: whether a thread is writing to it, and whether any data has passed since
 * the last look. Costs two counts for each write and one for each read of the driver. Never changes the data.
 */
final class CountedSocket extends Socket {
    /** Odd while a thread writes. */
    private final AtomicLong writes = new AtomicLong();

    private final AtomicLong reads = new AtomicLong();

    /** Whether a thread is writing at this moment. */
    boolean isWriting() {
        return (writes.get() & 1) == 1;
    }

    /** Grows with every write and every read. */
    long traffic() {
        return writes.get() + reads.get();
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new FilterInputStream(super.getInputStream()) {
            @Override
            public int read() throws IOException {
                int value = in.read();
                reads.incrementAndGet();
                return value;
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                int count = in.read(bytes, from, length);
                reads.incrementAndGet();
                return count;
            }
        };
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return new FilterOutputStream(super.getOutputStream()) {
            @Override
            public void write(int value) throws IOException {
                writes.incrementAndGet();
                try {
                    out.write(value);
                } finally {
                    writes.incrementAndGet();
                }
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                writes.incrementAndGet();
                try {
                    out.write(bytes, from, length);
                } finally {
                    writes.incrementAndGet();
                }
            }
        };
    }
}
