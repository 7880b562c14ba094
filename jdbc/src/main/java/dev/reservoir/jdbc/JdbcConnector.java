package dev.reservoir.jdbc;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.Text;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Opens, proves and closes connections of a driver, each on a thread of its own, since any call of a driver may hang. The
 * number of threads is bounded: as many calls as the engine and its borrowers have under way at most, and as many again that
 * hang beyond their deadline. Never retries; the engine does.
 */
final class JdbcConnector implements Connector<PhysicalConnection> {
    private static final long CLOSE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int CHAIN_MAX = 50;

    private final Source source;
    private final Credentials credentials;
    private final Proof proof;
    private final Workers connects;
    private final Workers proofs;

    /** Apart from the engine's, so that borrowers and background do not take each other's threads. */
    private final Workers borrowersProofs;

    private final Workers closes;
    private final SystemTime watch;
    private final long closePatienceNanos;
    private final Set<PhysicalConnection> open = ConcurrentHashMap.newKeySet();

    JdbcConnector(String name, Source source, Credentials credentials, Proof proof, Settings settings) {
        this.source = source;
        this.credentials = credentials;
        this.proof = proof;
        String prefix = "reservoir-" + name;
        connects = new Workers(prefix + "-connect-", 2 * settings.opensInFlightMax());
        proofs = new Workers(prefix + "-prove-", 2 * settings.provesInFlightMax());
        // A borrower waits for one proof of a connection that nobody else holds.
        borrowersProofs = new Workers(prefix + "-checkout-", 2 * Targets.MAX_OPEN_LIMIT);
        closes = new Workers(prefix + "-close-", 2 * settings.closesInFlightMax());
        watch = new SystemTime(prefix + "-watch");
        closePatienceNanos = Math.min(CLOSE_PATIENCE_NANOS, settings.closeTimeoutNanos() / 2);
    }

    /** Timers beside the engine's, for what must happen even if a driver hangs. */
    Time watch() {
        return watch;
    }

    /** Whether it opened this connection and has not begun to close it. */
    boolean owns(PhysicalConnection connection) {
        return open.contains(connection);
    }

    @Override
    public CompletionStage<PhysicalConnection> open(long timeoutNanos) {
        CompletableFuture<PhysicalConnection> opened = new CompletableFuture<>();
        Workers.Job job = connects.start(() -> connect(opened, timeoutNanos));
        if (job == null) {
            return CompletableFuture.failedFuture(new OpenFailedException(
                    OpenFailureReason.CONNECT,
                    "no thread left to connect on: all " + connects.threadsMax()
                            + " (twice opensInFlightMax) are taken by connects that hang beyond connectTimeout ("
                            + Text.nanos(timeoutNanos) + ")",
                    null));
        }
        interruptAfter(timeoutNanos, job, opened);
        return opened;
    }

    private void connect(CompletableFuture<PhysicalConnection> opened, long timeoutNanos) {
        try {
            Credential credential = credential(timeoutNanos);
            PhysicalConnection connection;
            try {
                connection = take(source.connect(credential));
            } catch (SQLException e) {
                OpenFailureReason reason = reason(e);
                if (reason == OpenFailureReason.AUTHENTICATION) {
                    credentials.refused(credential);
                }
                throw failure(reason, Secrets.clean(e, credential.secret(), source.url()));
            } catch (RuntimeException e) {
                // A driver with a bug has not said why.
                throw failure(OpenFailureReason.CONNECT, Secrets.clean(e, credential.secret(), source.url()));
            }
            open.add(connection);
            opened.complete(connection);
        } catch (OpenFailedException | RuntimeException | Error e) {
            opened.completeExceptionally(e);
        }
    }

    private static PhysicalConnection take(Connection raw) throws SQLException {
        try {
            return new PhysicalConnection(raw);
        } catch (SQLException | RuntimeException | Error e) {
            raw.close();
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

    private static OpenFailedException failure(OpenFailureReason reason, Exception error) {
        return new OpenFailedException(reason, message(error), error);
    }

    /**
     * By SQLState, of the first error in the chain that has one of those that say more than "refused"; else by whether the
     * driver waited in vain, as it may by a shorter time-out of its own. Aurora DSQL is known by its words, too, since it has no
     * certain state for a token that it does not accept.
     */
    static OpenFailureReason reason(SQLException error) {
        OpenFailureReason reason = OpenFailureReason.CONNECT;
        Throwable t = error;
        for (int i = 0; i < CHAIN_MAX && t != null; i++) {
            String state = t instanceof SQLException e ? e.getSQLState() : null;
            if (state != null) {
                if (state.startsWith("28")) {
                    return OpenFailureReason.AUTHENTICATION;
                }
                if (state.equals("53300")) {
                    return OpenFailureReason.SERVER_FULL;
                }
                if (state.equals("53400")) {
                    return OpenFailureReason.SERVER_RATE;
                }
            }
            if (t instanceof SocketTimeoutException || t instanceof SQLTimeoutException) {
                reason = OpenFailureReason.CONNECT_TIMEOUT;
            } else if (t instanceof SQLException) {
                reason = Objects.requireNonNullElse(inWords(t.getMessage()), reason);
            }
            t = t.getCause();
        }
        return reason;
    }

    private static @Nullable OpenFailureReason inWords(@Nullable String message) {
        String text = message == null ? "" : message.toLowerCase(Locale.ROOT);
        if (!text.contains("unable to accept connection")) {
            return null;
        }
        if (text.contains("access denied")) {
            return OpenFailureReason.AUTHENTICATION;
        }
        if (text.contains("rate exceeded")) {
            return OpenFailureReason.SERVER_RATE;
        }
        return text.contains("too many open connections") ? OpenFailureReason.SERVER_FULL : null;
    }

    private static String message(Throwable error) {
        String text = error.getMessage();
        return text == null || text.isBlank() ? error.getClass().getName() : text;
    }

    @Override
    public CompletionStage<Boolean> prove(PhysicalConnection connection, long timeoutNanos) {
        CompletableFuture<Boolean> proven = new CompletableFuture<>();
        Workers.Job job = proofs.start(() -> proven.complete(proof.works(connection.raw, timeoutNanos)));
        if (job == null) {
            return CompletableFuture.completedFuture(false);
        }
        interruptAfter(timeoutNanos, job, proven);
        return proven;
    }

    /** The same for a borrower who waits. The future always completes: with false if there is no answer within the time-out. */
    CompletableFuture<Boolean> proveForBorrower(PhysicalConnection connection, long timeoutNanos) {
        CompletableFuture<Boolean> proven = new CompletableFuture<>();
        Workers.Job job = borrowersProofs.start(() -> proven.complete(proof.works(connection.raw, timeoutNanos)));
        if (job == null) {
            proven.complete(false);
            return proven;
        }
        Time.Timer timer = watch.schedule(timeoutNanos, () -> {
            proven.complete(false);
            job.interrupt();
        });
        cancelWhenDone(timer, proven);
        return proven;
    }

    /** Closes it; one that does not close, or not in time, is aborted, which needs no answer of the server. */
    @Override
    public CompletionStage<Void> close(PhysicalConnection connection, DiscardReason reason) {
        open.remove(connection);
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Workers.Job job = closes.start(() -> close(connection.raw, closed));
        if (job != null) {
            Time.Timer timer = watch.schedule(closePatienceNanos, () -> escalate(connection.raw, job, closed));
            cancelWhenDone(timer, closed);
        } else if (closes.isEnded()) {
            // It came after the end, on a thread of its own that hung until now.
            close(connection.raw, closed);
        } else {
            watch.execute(() -> abort(connection.raw, closed));
        }
        return closed;
    }

    private void escalate(Connection raw, Workers.Job job, CompletableFuture<Void> closed) {
        Runnable harder = () -> {
            abort(raw, closed);
            job.interrupt();
        };
        if (closes.start(harder) == null) {
            harder.run();
        }
    }

    /** A close that fails may leave the socket open, an abort does not. */
    private static void close(Connection raw, CompletableFuture<Void> closed) {
        try {
            raw.close();
            closed.complete(null);
        } catch (SQLException | RuntimeException | Error e) {
            abort(raw, closed);
        }
    }

    private static void abort(Connection raw, CompletableFuture<Void> closed) {
        try {
            raw.abort(Runnable::run);
            closed.complete(null);
        } catch (SQLException | RuntimeException | Error e) {
            closed.completeExceptionally(e);
        }
    }

    private void interruptAfter(long timeoutNanos, Workers.Job job, CompletableFuture<?> result) {
        Time.Timer timer = watch.schedule(timeoutNanos, job::interrupt);
        cancelWhenDone(timer, result);
    }

    private static void cancelWhenDone(Time.Timer timer, CompletionStage<?> stage) {
        stage.whenComplete((value, error) -> timer.cancel());
    }

    /** Ends all threads, those included that hang as far as an interrupt can. What comes late is still closed. */
    void end() {
        connects.end();
        proofs.end();
        borrowersProofs.end();
        closes.end();
        watch.close();
    }

    /** The credentials that were fixed in the settings. */
    static Credentials fixed(@Nullable String user, @Nullable String secret) {
        CompletableFuture<Credential> credential = CompletableFuture.completedFuture(new Credential(user, secret));
        return () -> credential;
    }
}
