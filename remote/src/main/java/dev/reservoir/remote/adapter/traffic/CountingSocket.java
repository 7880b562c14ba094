package dev.reservoir.remote.adapter.traffic;

import dev.reservoir.remote.adapter.SessionObserver;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/**
 * A socket that tells an observer how many bytes go through it. TLS on top of it is counted as it is on the network.
 */
final class CountingSocket extends Socket {
    private final SessionObserver observer;

    CountingSocket(SessionObserver observer) {
        this.observer = observer;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new CountingInput(super.getInputStream(), observer);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return new CountingOutput(super.getOutputStream(), observer);
    }

    private static final class CountingInput extends FilterInputStream {
        private final SessionObserver observer;

        CountingInput(InputStream in, SessionObserver observer) {
            super(in);
            this.observer = observer;
        }

        @Override
        public int read() throws IOException {
            int value = in.read();
            if (value >= 0) {
                observer.received(1);
            }
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int count = in.read(buffer, offset, length);
            if (count > 0) {
                observer.received(count);
            }
            return count;
        }

        @Override
        public long skip(long wanted) throws IOException {
            long count = in.skip(wanted);
            if (count > 0) {
                observer.received(count);
            }
            return count;
        }
    }

    private static final class CountingOutput extends FilterOutputStream {
        private final SessionObserver observer;

        CountingOutput(OutputStream out, SessionObserver observer) {
            super(out);
            this.observer = observer;
        }

        @Override
        public void write(int value) throws IOException {
            out.write(value);
            observer.sent(1);
        }

        /** The inherited method would write byte by byte. */
        @Override
        public void write(byte[] buffer, int offset, int length) throws IOException {
            out.write(buffer, offset, length);
            observer.sent(length);
        }
    }
}
