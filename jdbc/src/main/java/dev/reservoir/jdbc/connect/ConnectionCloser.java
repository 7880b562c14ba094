package dev.reservoir.jdbc.connect;

import dev.reservoir.core.Settings;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.WorkerThreads;
import java.io.IOException;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Closes connections of a driver. If a close fails or takes too long, the connection is aborted, which needs no answer
 * of the server. Each call of the driver has its own thread, because it may hang. If there is no thread, the close
 * waits for one. Never leaves a session open on the server because of a lack of threads.
 */
final class ConnectionCloser {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The interval between attempts to get a thread while there is none. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final DriverThreads closes;

    /** Separate from the closes, because all closes may hang. */
    private final DriverThreads aborts;

    private final SystemTime watch;
    private final long patienceNanos;

    /** The closes that wait for a thread. */
    private final Set<Closing> waiting = ConcurrentHashMap.newKeySet();

    ConnectionCloser(String threadNamePrefix, Settings settings, SystemTime watch, WorkerThreads threads) {
        closes = new DriverThreads(threadNamePrefix + "-close-", 2 * settings.closesInFlightMax(), threads);
        aborts = new DriverThreads(threadNamePrefix + "-abort-", 2 * settings.closesInFlightMax(), threads);
        this.watch = watch;
        patienceNanos = Math.min(PATIENCE_NANOS, settings.closeTimeoutNanos() / 2);
    }

    /**
     * Begins to close a connection. Does not block, unless this closer has ended.
     *
     * @param sockets the sockets of the connection, as far as they are known; closed if even the abort hangs
     * @param inUse whether a caller may be in a call, so that the connection is aborted at once
     * @param closed completes when the connection is closed, or exceptionally if even the abort failed
     */
    void close(Connection raw, List<Socket> sockets, boolean inUse, CompletableFuture<Void> closed) {
        Closing closing = new Closing(raw, sockets, closed);
        if (inUse) {
            closing.abort();
        } else {
            closing.close();
        }
    }

    /** Ends the threads. Connections that wait for a thread are aborted on the current thread, which may block. */
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
                // It came after the end, from a thread of its own that hung until now.
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

        /** Tries again until there is a thread, or until the end. */
        private void retryLater(Runnable attempt) {
            waiting.add(this);
            watch.schedule(RETRY_NANOS, () -> {
                if (waiting.remove(this)) {
                    attempt.run();
                }
            });
            // The end may have come before this was in the set of waiting closes. Then no timer fires either.
            if (aborts.isEnded() && waiting.remove(this)) {
                abortHere();
            }
        }

        /** A failed close may leave the socket open. An abort does not. */
        private void closeHere() {
            try {
                raw.close();
                closed.complete(null);
            } catch (SQLException | RuntimeException | Error e) {
                abortHere();
            }
        }

        /**
         * The abort of a driver may wait for the call that hangs. MariaDB's abort does, because it reads from the same
         * socket as that call.
         */
        private void cut() {
            for (Socket socket : sockets) {
                try {
                    socket.close();
                } catch (IOException e) {
                    // There is nothing else to try.
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
