package dev.reservoir.jdbc.connect;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.Text;
import dev.reservoir.core.util.WorkerThreads;
import dev.reservoir.core.util.WorkerThreads.Kind;
import dev.reservoir.jdbc.ConnectErrorRule;
import dev.reservoir.jdbc.error.ConnectErrors;
import dev.reservoir.jdbc.error.UrlHost;
import dev.reservoir.jdbc.log.Secrets;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens, validates and closes connections of a driver. Each call has its own thread, because any call of a driver may
 * hang. The number of these calls is at most twice the number of calls that may be in progress. So as many calls again
 * may hang beyond their deadline. Never retries a connect; the engine does.
 */
public final class JdbcConnector implements Connector<PhysicalConnection> {
    private static final long DOUBT_AFTER_NANOS = Reservoir.DOUBT_AFTER.toNanos();

    /**
     * Bounds the validations for callers that wait, so that one data source takes at most a quarter of the threads of
     * the process for them. Further ones run on the threads of their callers.
     */
    private static final int CALLERS_VALIDATIONS_MAX = Kind.WORKER.threadsMax / 4;

    private final ConnectionSource source;
    private final Credentials credentials;
    private final @Nullable ConnectErrorRule errorRule;
    private final ValidationQuery validationQuery;
    private final DriverThreads connects;
    private final DriverThreads validations;

    /** Separate from the threads of the engine, so that callers and the background do not take each other's threads. */
    private final DriverThreads callersValidations;

    private final ConnectionCloser closer;
    private final WorkerThreads threads;
    private final SystemTime watch;
    private final @Nullable UnresponsiveSessions sessions;
    private final AtomicBoolean loginRefused = new AtomicBoolean();
    private final Set<PhysicalConnection> open = ConcurrentHashMap.newKeySet();

    /**
     * Asks servers about sessions only if {@code asksForSessions}.
     *
     * @param factory creates threads for this connector alone; null if it shares those of the process
     */
    public JdbcConnector(
            String name,
            ConnectionSource source,
            Credentials credentials,
            @Nullable ConnectErrorRule errorRule,
            ValidationQuery validationQuery,
            boolean asksForSessions,
            Settings settings,
            @Nullable ThreadFactory factory) {
        this.source = source;
        this.credentials = credentials;
        this.errorRule = errorRule;
        this.validationQuery = validationQuery;
        String prefix = "reservoir-" + name;
        threads = WorkerThreads.of(Kind.WORKER, prefix, factory);
        connects = new DriverThreads(prefix + "-connect-", 2 * settings.opensInFlightMax(), threads);
        validations = new DriverThreads(prefix + "-validate-", 2 * settings.validationsInFlightMax(), threads);
        callersValidations = new DriverThreads(prefix + "-checkout-", CALLERS_VALIDATIONS_MAX, threads);
        watch = systemTime(prefix + "-watch", factory);
        closer = new ConnectionCloser(prefix, settings, watch, threads);
        sessions = asksForSessions ? new UnresponsiveSessions() : null;
    }

    private SystemTime systemTime(String threadName, @Nullable ThreadFactory factory) {
        try {
            return factory == null ? SystemTime.shared() : new SystemTime(threadName, factory);
        } catch (RuntimeException | Error noThread) {
            threads.close();
            throw noThread;
        }
    }

    /** Timers apart from those of the engine, for actions that must happen even if a driver hangs. */
    public Time watch() {
        return watch;
    }

    /** Whether this connector opened the connection and has not begun to close it. Does not block. */
    public boolean owns(PhysicalConnection connection) {
        return open.contains(connection);
    }

    // Open.

    @Override
    public CompletionStage<PhysicalConnection> open(long timeoutNanos) {
        CompletableFuture<PhysicalConnection> opened = new CompletableFuture<>();
        DriverThreads.Job job = connects.start(() -> connect(opened, timeoutNanos));
        if (job == null) {
            return CompletableFuture.failedFuture(new OpenFailedException(
                    OpenFailureReason.CONNECT, "no thread to connect on: " + connects.whyRefused(), null));
        }
        interruptAfter(timeoutNanos, job, opened);
        return opened;
    }

    private void connect(CompletableFuture<PhysicalConnection> opened, long timeoutNanos) {
        try {
            Credential credential = credential(timeoutNanos);
            PhysicalConnection connection;
            try {
                connection = connect(credential);
            } catch (SQLException e) {
                OpenFailureReason reason = ConnectErrors.reason(e, errorRule);
                boolean renewed = reason == OpenFailureReason.AUTHENTICATION && renewsAfter(credential);
                SQLException shown = Secrets.clean(e, credential.secret(), source.url());
                throw new OpenFailedException(
                        reason, ConnectErrors.describe(shown, UrlHost.withPort(source.url())), shown, renewed);
            } catch (RuntimeException e) {
                // A driver with a bug does not say why the connect failed.
                RuntimeException shown = Secrets.clean(e, credential.secret(), source.url());
                throw new OpenFailedException(OpenFailureReason.CONNECT, message(shown), shown);
            }
            if (!opened.complete(connection)) {
                close(connection, DiscardReason.LATE);
            }
        } catch (OpenFailedException | RuntimeException | Error e) {
            opened.completeExceptionally(e);
        }
    }

    /**
     * Tells the provider that this credential was refused. Returns whether the provider has another one now. Only the
     * first refusal can return true.
     */
    private boolean renewsAfter(Credential refused) {
        credentials.refused(refused);
        boolean isFirst = loginRefused.compareAndSet(false, true);
        return isFirst
                && !refused.equals(credentials.current().toCompletableFuture().getNow(null));
    }

    private PhysicalConnection connect(Credential credential) throws SQLException {
        List<Socket> sockets = new ArrayList<>();
        KeepaliveSockets.noteIn(sockets);
        try {
            return take(source.connect(credential), sockets);
        } finally {
            KeepaliveSockets.noteIn(null);
        }
    }

    /** Takes over a new connection of the driver. Closes it if that fails. */
    private PhysicalConnection take(Connection raw, List<Socket> sockets) throws SQLException {
        PhysicalConnection connection = null;
        try {
            connection = new PhysicalConnection(raw, source.onlyIsolation(), source.connectionReset());
            connection.sockets = List.copyOf(sockets);
            if (sessions != null) {
                sessions.note(connection);
            }
            open.add(connection);
            return connection;
        } catch (SQLException | RuntimeException | Error e) {
            if (sessions != null && connection != null) {
                sessions.forget(connection);
            }
            closer.close(raw, sockets, false, new CompletableFuture<>());
            throw e;
        }
    }

    private Credential credential(long timeoutNanos) throws OpenFailedException {
        Throwable cause;
        try {
            return credentials.current().toCompletableFuture().get(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            cause = e.getCause() == null ? e : e.getCause();
        } catch (TimeoutException e) {
            cause = new TimeoutException("no credentials within " + Text.nanos(timeoutNanos));
        } catch (InterruptedException | RuntimeException e) {
            cause = e;
        }
        throw new OpenFailedException(OpenFailureReason.TOKEN_PROVIDER, message(cause), cause);
    }

    private static String message(Throwable error) {
        String text = error.getMessage();
        return text == null || text.isBlank() ? error.getClass().getName() : text;
    }

    // Validate.

    @Override
    public CompletionStage<Boolean> validate(PhysicalConnection connection, long timeoutNanos) {
        return onThread(validations, timeoutNanos, () -> validationQuery.works(connection.raw, timeoutNanos));
    }

    @Override
    public CompletionStage<List<PhysicalConnection>> findUnresponsive(
            PhysicalConnection fresh, List<PhysicalConnection> inUse, long timeoutNanos) {
        UnresponsiveSessions asks = sessions;
        return asks == null
                ? CompletableFuture.completedFuture(List.of())
                : onThread(validations, timeoutNanos, () -> asks.find(fresh, inUse));
    }

    /** Fails at once if there is no thread. Then the driver was not asked, and nothing is known. */
    private <R> CompletionStage<R> onThread(DriverThreads workers, long timeoutNanos, Callable<R> call) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        DriverThreads.Job job = workers.start(() -> answer(call, answer));
        if (job == null) {
            return CompletableFuture.failedFuture(new RejectedExecutionException(workers.whyRefused()));
        }
        interruptAfter(timeoutNanos, job, answer);
        return answer;
    }

    private static <R> void answer(Callable<R> call, CompletableFuture<R> answer) {
        try {
            answer.complete(call.call());
        } catch (Throwable e) {
            answer.completeExceptionally(e);
        }
    }

    /**
     * Validates for a caller that waits. Without an answer within the timeout, the connection does not work. Without an
     * answer for {@link Reservoir#DOUBT_AFTER}, the engine is asked for its verdict as well. If there is no thread, the
     * validation runs on the thread of the caller and blocks it. Then only the driver can keep the timeout.
     *
     * @param verdict asks the engine; completes if the connection is lost
     */
    public CallerValidation validateForCaller(
            PhysicalConnection connection, long timeoutNanos, Supplier<? extends CompletionStage<?>> verdict) {
        CallerValidation validation = new CallerValidation(verdict);
        Runnable asks = () -> {
            boolean works = false;
            try {
                works = validationQuery.works(connection.raw, timeoutNanos);
            } finally {
                validation.end(works);
            }
        };
        DriverThreads.Job job = callersValidations.start(asks);
        if (job == null) {
            asks.run();
        } else if (timeoutNanos > DOUBT_AFTER_NANOS) {
            Time.Timer timer =
                    watch.schedule(DOUBT_AFTER_NANOS, () -> doubt(validation, timeoutNanos - DOUBT_AFTER_NANOS, job));
            cancelWhenDone(timer, validation.answer());
        } else {
            endAfter(timeoutNanos, validation, job);
        }
        return validation;
    }

    private void doubt(CallerValidation validation, long leftNanos, DriverThreads.Job job) {
        try {
            endAfter(leftNanos, validation, job);
        } catch (RuntimeException | Error noTimer) {
            // Without a timer nothing would ever end the validation.
            validation.end(false);
            throw noTimer;
        }
        validation.doubt(job::interrupt);
    }

    private void endAfter(long timeoutNanos, CallerValidation validation, DriverThreads.Job job) {
        Time.Timer timer = watch.schedule(timeoutNanos, () -> {
            validation.end(false);
            job.interrupt();
        });
        cancelWhenDone(timer, validation.answer());
    }

    // Close.

    @Override
    public CompletionStage<Void> close(PhysicalConnection connection, DiscardReason reason) {
        open.remove(connection);
        if (sessions != null) {
            sessions.forget(connection);
        }
        CompletableFuture<Void> closed = new CompletableFuture<>();
        // A caller may be in a call that hangs, and a close could wait for that call.
        boolean inUse = reason == DiscardReason.UNRESPONSIVE || reason == DiscardReason.ABANDONED;
        closer.close(connection.raw, connection.sockets, inUse, closed);
        return closed;
    }

    private void interruptAfter(long timeoutNanos, DriverThreads.Job job, CompletableFuture<?> result) {
        Time.Timer timer = watch.schedule(timeoutNanos, job::interrupt);
        cancelWhenDone(timer, result);
    }

    static void cancelWhenDone(Time.Timer timer, CompletionStage<?> stage) {
        stage.whenComplete((value, error) -> timer.cancel());
    }

    /**
     * Lets go of all threads, and interrupts those that hang. A connection that arrives later is still closed. Does not
     * wait for threads.
     */
    public void end() {
        connects.end();
        validations.end();
        callersValidations.end();
        closer.end();
        watch.close();
        threads.close();
    }
}
