package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the calls to the handler of one session on worker threads, one at a time, and interrupts them. The results go
 * back to the session's event loop. Safe for use by several threads.
 */
final class HandlerCalls {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerCalls.class);

    private final Executor workers;
    private final Executor loop;

    /** Whether the client has cancelled the running request. */
    private volatile boolean cancelled;

    // This object's lock guards the fields below.

    /** Whether a call is running or about to run. */
    private boolean busy;

    private @Nullable Thread thread;
    private boolean closed;
    private @Nullable Runnable last;

    HandlerCalls(Executor workers, Executor loop) {
        this.workers = workers;
        this.loop = loop;
    }

    /** A call to the handler. It may block. */
    interface Call<T> {
        T run() throws InterruptedException;
    }

    /**
     * Runs a call soon, or drops it if this is closed. The call before it has ended. Gives the result to {@code then},
     * or the error to {@code failed}, on the event loop.
     */
    <T> void submit(Call<T> call, Consumer<T> then, Consumer<PgError> failed) {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (busy) {
                throw new IllegalStateException("bug: two calls to a handler at a time");
            }
            busy = true;
        }
        workers.execute(() -> {
            Runnable told = () -> {};
            try {
                if (begin()) {
                    T result = call.run();
                    told = () -> then.accept(result);
                }
            } catch (Throwable e) {
                PgError error = error(e);
                told = () -> failed.accept(error);
            } finally {
                end();
            }
            // After the end, because the result may lead to the next call.
            loop.execute(told);
        });
    }

    private boolean begin() throws InterruptedException {
        synchronized (this) {
            thread = Thread.currentThread();
            if (closed) {
                return false;
            }
        }
        if (cancelled) {
            throw new InterruptedException();
        }
        return true;
    }

    private void end() {
        Runnable task;
        synchronized (this) {
            thread = null;
            busy = false;
            task = last;
            last = null;
            // The interrupt was for the call that has ended.
            Thread.interrupted();
        }
        if (task != null) {
            task.run();
        }
    }

    private PgError error(Throwable thrown) {
        if (thrown instanceof PgException known) {
            return known.error();
        }
        if (cancelled || thrown instanceof InterruptedException) {
            return PgError.error("57014", "canceling statement due to user request");
        }
        return internalError(thrown);
    }

    /** What a client gets for an exception that is not meant for it. Logs the exception. */
    static PgError internalError(Throwable thrown) {
        LOG.warn("The handler of a session failed", thrown);
        return PgError.error("XX000", "internal error; the log of the server has the reason");
    }

    /** Begins a request, which no earlier {@link #cancel} concerns. */
    void beginRequest() {
        cancelled = false;
    }

    /** Interrupts the call that runs, if one does, and all further calls of the same request. */
    void cancel() {
        cancelled = true;
        interrupt();
    }

    private synchronized void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** Interrupts the call that runs and runs {@code task} after it. No call follows. */
    void close(Runnable task) {
        synchronized (this) {
            closed = true;
            if (busy) {
                last = task;
                interrupt();
                return;
            }
        }
        workers.execute(task);
    }
}
