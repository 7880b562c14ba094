package dev.reservoir.jdbc.connect;

import dev.reservoir.core.Settings;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import java.io.IOException;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Closes connections of a driver. One that does not close, or not in time, is aborted, which needs no answer of the server. Each call
 * of the driver has a thread of its own, for it may hang. If there is no thread to be had, the close waits for one: no session is
 * left open on the server.
 */
final class ConnectionCloser {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How often a thread is asked for while there is none. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final DriverThreads closes;

    /** Apart from the closes, all of which may hang. */
    private final DriverThreads aborts;

    private final SystemTime watch;
    private final long patienceNanos;

    /** Those that wait for a thread. */
    private final Set<Closing> waiting = ConcurrentHashMap.newKeySet();

    ConnectionCloser(String threadNamePrefix, Settings settings, SystemTime watch, ThreadFactory threads) {
        closes = new DriverThreads(threadNamePrefix + "-close-", 2 * settings.closesInFlightMax(), threads);
        aborts = new DriverThreads(threadNamePrefix + "-abort-", 2 * settings.closesInFlightMax(), threads);
        this.watch = watch;
        patienceNanos = Math.min(PATIENCE_NANOS, settings.closeTimeoutNanos() / 2);
    }

    /**
     * Begins to close a connection. Does not block, unless this was ended before.
     *
     * @param sockets of the connection, as far as they are known; closed if even the abort hangs
     * @param inUse whether a caller may be inside a call, so that it is aborted at once
     * @param closed completes when the connection is gone, or exceptionally if even the abort failed
     */
    void close(Connection raw, List<Socket> sockets, boolean inUse, CompletableFuture<Void> closed) {
        Closing closing = new Closing(raw, sockets, closed);
        if (inUse) {
            closing.abort();
        } else {
            closing.close();
        }
    }

    /** Ends the threads. What waits for one is aborted here and now. */
    void end() {
        closes.end();
        aborts.end();
        waiting.forEach(Closing::abortHere);
    }

    private final class Closing {
        private final Connection raw;
        private final List<Socket> sockets;
        private final CompletableFuture<Void> closed;

        Closing(Connection raw, List<Socket> sockets, CompletableFuture<Void> closed) {
            this.raw = raw;
            this.sockets = sockets;
            this.closed = closed;
        }

        void close() {
            DriverThreads.Job job = closes.start(this::closeHere);
            if (job != null) {
                Time.Timer timer = watch.schedule(patienceNanos, () -> {
                    abort();
                    job.interrupt();
                });
                JdbcConnector.cancelWhenDone(timer, closed);
            } else if (closes.isEnded()) {
                // It came after the end, on a thread of its own that hung until now.
                closeHere();
            } else {
                retryLater(this::close);
            }
        }

        void abort() {
            waiting.remove(this);
            if (closed.isDone()) {
                return;
            }
            if (aborts.start(this::abortHere) != null) {
                if (!sockets.isEmpty()) {
                    Time.Timer timer = watch.schedule(patienceNanos, () -> aborts.start(this::cut));
                    JdbcConnector.cancelWhenDone(timer, closed);
                }
            } else if (aborts.isEnded()) {
                abortHere();
            } else {
                retryLater(this::abort);
            }
        }

        /** Until there is a thread, at the latest until the end. */
        private void retryLater(Runnable attempt) {
            waiting.add(this);
            watch.schedule(RETRY_NANOS, () -> {
                if (waiting.remove(this)) {
                    attempt.run();
                }
            });
            // The end may have come before this one was among those that wait; then no timer comes either.
            if (aborts.isEnded() && waiting.remove(this)) {
                abortHere();
            }
        }

        /** A close that fails may leave the socket open, an abort does not. */
        private void closeHere() {
            try {
                raw.close();
                closed.complete(null);
            } catch (SQLException | RuntimeException | Error e) {
                abortHere();
            }
        }

        /** A driver's abort may wait for the call that hangs: MariaDB's reads from the socket, as that call does. */
        private void cut() {
            for (Socket socket : sockets) {
                try {
                    socket.close();
                } catch (IOException e) {
                    // Nothing is left to be tried.
                }
            }
        }

        private void abortHere() {
            waiting.remove(this);
            try {
                raw.abort(Runnable::run);
                if (!raw.isClosed()) {
                    // Some drivers have an abort that does nothing.
                    raw.close();
                }
                closed.complete(null);
            } catch (SQLException | RuntimeException | Error e) {
                closed.completeExceptionally(e);
            }
        }
    }
}
