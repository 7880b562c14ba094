package dev.reservoir.dsql.token;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.DoublingPause;
import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.DsqlTokens;
import dev.reservoir.dsql.TokenStats;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/**
 * Keeps one token and renews it in the background. At most one renewal runs at a time, and all callers without a usable
 * token wait for it. Never calls the signer on the thread of a caller.
 */
public final class RenewingTokens implements DsqlTokens {
    /** Longest time that callers wait for one renewal. */
    private static final long RENEWAL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Pause after the first failed renewal. It doubles with each further failure. */
    private static final long PAUSE_BASE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Longest pause after a failed renewal. */
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Shortest time between two forced renewals. If a fresh token is refused too, the token is not the problem. */
    private static final long FORCED_INTERVAL_MIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Logger log = LoggerFactory.getLogger(DsqlTokens.class);

    private final String host;
    private final String user;
    private final Callable<Token> signer;
    private final Time time;
    private final InstantSource clock;
    private final Executor worker;
    private final RandomGenerator random;
    private final Runnable onEnd;

    /** Whether data sources share this instance. It then ends with the last of them. */
    private final boolean shared;

    /** Guards the fields below. While it is held, no foreign code is called and no stage is completed. */
    private final Object lock = new Object();

    private @Nullable KeptToken kept;

    /** The running renewal, or null. */
    private @Nullable Renewal renewal;

    private Time.@Nullable Timer nextRenewal;
    private int failuresInARow;
    private @Nullable Throwable lastFailure;

    /** No renewal begins before this time, because the last one failed. */
    private long notBeforeNanos;

    private long lastForcedNanos = Long.MIN_VALUE;
    private boolean closed;
    private long made;
    private long failures;
    private long refused;
    private long forced;

    RenewingTokens(
            String host,
            String user,
            Callable<Token> signer,
            Time time,
            InstantSource clock,
            Executor worker,
            RandomGenerator random,
            Runnable onEnd,
            boolean shared) {
        this.host = host;
        this.user = user;
        this.signer = signer;
        this.time = time;
        this.clock = clock;
        this.worker = worker;
        this.random = random;
        this.onEnd = onEnd;
        this.shared = shared;
    }

    /**
     * Returns tokens that the AWS SDK signs.
     *
     * @param alsoOnEnd runs when the tokens end
     * @param shared whether only {@link #end} ends the tokens
     */
    public static RenewingTokens of(
            String host,
            String region,
            String user,
            AwsCredentialsProvider credentials,
            Duration duration,
            Runnable alsoOnEnd,
            boolean shared) {
        Objects.requireNonNull(credentials, "credentials");
        SystemTime time = new SystemTime("dsql-token-timer");
        ThreadPoolExecutor worker =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "dsql-token");
                    thread.setDaemon(true);
                    return thread;
                });
        worker.allowCoreThreadTimeOut(true);
        Clock clock = Clock.systemUTC();
        return new RenewingTokens(
                host,
                user,
                new SdkTokenSigner(host, region, user, credentials, duration, clock)::sign,
                time,
                clock,
                worker,
                new SplittableRandom(),
                () -> {
                    time.close();
                    worker.shutdownNow();
                    alsoOnEnd.run();
                },
                shared);
    }

    @Override
    public CompletionStage<Credential> current() {
        synchronized (lock) {
            KeptToken present = kept;
            if (present != null && present.isUsable(time.nanos(), clock.instant())) {
                return CompletableFuture.completedFuture(new Credential(user, present.token.secret()));
            }
            if (closed) {
                return CompletableFuture.failedFuture(isClosed(null));
            }
            long pause = notBeforeNanos - time.nanos();
            if (renewal == null && pause > 0) {
                return CompletableFuture.failedFuture(new IllegalStateException(
                        "no token for " + user + " at " + host + " after " + failuresInARow + " tries, next try in "
                                + Text.nanos(pause) + ": " + reason(lastFailure),
                        lastFailure));
            }
            return beginRenewal().result.copy();
        }
    }

    @Override
    public void refused(Credential credential) {
        boolean forces;
        synchronized (lock) {
            refused++;
            long now = time.nanos();
            forces = !closed
                    && isPresent(credential)
                    && (lastForcedNanos == Long.MIN_VALUE || now - lastForcedNanos >= FORCED_INTERVAL_MIN_NANOS);
            if (forces) {
                Objects.requireNonNull(kept).refused = true;
                lastForcedNanos = now;
                forced++;
                if (now >= notBeforeNanos) {
                    beginRenewal();
                }
            }
        }
        if (forces) {
            log.warn("DSQL token refused by the server, making another  endpoint={} user={}", host, user);
        }
    }

    /** Whether this is the kept token, and the server has not refused it before. The caller holds the lock. */
    private boolean isPresent(Credential credential) {
        return kept != null && !kept.refused && kept.token.secret().equals(credential.secret());
    }

    /** Begins a renewal, or returns the running one. The caller holds the lock. */
    private Renewal beginRenewal() {
        Renewal running = renewal;
        if (running != null) {
            return running;
        }
        Renewal begun = new Renewal();
        renewal = begun;
        if (nextRenewal != null) {
            nextRenewal.cancel();
            nextRenewal = null;
        }
        begun.timeout = time.schedule(RENEWAL_TIMEOUT_NANOS, () -> timedOut(begun));
        // Not called directly, because an executor may run the task at once on this thread, which holds the lock.
        time.execute(() -> handToWorker(begun));
        return begun;
    }

    private void handToWorker(Renewal begun) {
        try {
            worker.execute(() -> renew(begun));
        } catch (RejectedExecutionException e) {
            begun.result.completeExceptionally(isClosed(e));
        }
    }

    /** Signs a token on the thread of the worker. Blocks for the credentials. */
    private void renew(Renewal begun) {
        // An interrupt that is still pending was meant for the previous renewal.
        Thread.interrupted();
        synchronized (lock) {
            begun.thread = Thread.currentThread();
        }
        Token token;
        try {
            token = sign();
        } catch (Exception | LinkageError e) {
            failed(begun, e);
            return;
        }
        succeeded(begun, token);
    }

    private Token sign() throws Exception {
        Token token = signer.call();
        if (!token.expires().isAfter(clock.instant())) {
            throw new IllegalStateException("the AWS credentials expired at " + token.expires());
        }
        return token;
    }

    private void succeeded(Renewal ended, Token token) {
        int failuresBefore;
        synchronized (lock) {
            end(ended);
            made++;
            failuresBefore = failuresInARow;
            failuresInARow = 0;
            lastFailure = null;
            notBeforeNanos = 0;
            KeptToken renewed = new KeptToken(token, time.nanos(), clock.instant());
            kept = renewed;
            scheduleRenewal(renewed.renewalDelayNanos);
        }
        ended.result.complete(new Credential(user, token.secret()));
        if (failuresBefore > 0) {
            log.info("DSQL token renewal works again  endpoint={} user={} failures={}", host, user, failuresBefore);
        }
        log.debug("DSQL token made  endpoint={} user={} expires={}", host, user, token.expires());
    }

    private void failed(Renewal ended, Throwable error) {
        long pause;
        int inARow;
        synchronized (lock) {
            end(ended);
            if (!ended.hasTimedOut) {
                failures++;
                failuresInARow++;
            }
            inARow = failuresInARow;
            lastFailure = error;
            pause = DoublingPause.jittered(inARow - 1, PAUSE_BASE_NANOS, PAUSE_MAX_NANOS, random);
            notBeforeNanos = time.nanos() + pause;
            scheduleRenewal(pause);
        }
        ended.result.completeExceptionally(
                new IllegalStateException("no token for " + user + " at " + host + ": " + reason(error), error));
        log.warn(
                "DSQL token renewal failed  endpoint={} user={} attempt={} next_try={} error=\"{}\"",
                host,
                user,
                inARow,
                Text.nanos(pause),
                reason(error).replace('"', '\''));
    }

    /** Fails the callers of a renewal that takes too long. No other begins before it returns, which may be never. */
    private void timedOut(Renewal running) {
        TimeoutException error = new TimeoutException("no AWS credentials within " + Text.nanos(RENEWAL_TIMEOUT_NANOS));
        int inARow;
        synchronized (lock) {
            if (renewal != running || closed) {
                return;
            }
            running.hasTimedOut = true;
            failures++;
            inARow = ++failuresInARow;
            lastFailure = error;
            if (running.thread != null) {
                running.thread.interrupt();
            }
        }
        running.result.completeExceptionally(error);
        log.warn(
                "DSQL token renewal hangs, no other begins before it ends  endpoint={} user={} attempt={} error=\"{}\"",
                host,
                user,
                inARow,
                reason(error));
    }

    /** Ends a renewal. Its thread is not interrupted afterwards. The caller holds the lock. */
    private void end(Renewal ended) {
        ended.thread = null;
        if (ended.timeout != null) {
            ended.timeout.cancel();
        }
        if (renewal == ended) {
            renewal = null;
        }
    }

    /** The caller holds the lock. */
    private void scheduleRenewal(long delayNanos) {
        if (closed) {
            return;
        }
        nextRenewal = time.schedule(delayNanos, () -> {
            synchronized (lock) {
                if (!closed) {
                    beginRenewal();
                }
            }
        });
    }

    private static String reason(@Nullable Throwable error) {
        return error == null ? "reason unknown" : Text.oneLine(error);
    }

    private IllegalStateException isClosed(@Nullable Throwable cause) {
        return new IllegalStateException(this + " is closed", cause);
    }

    @Override
    public String user() {
        return user;
    }

    @Override
    public TokenStats stats() {
        synchronized (lock) {
            KeptToken present = kept;
            return new TokenStats(made, failures, refused, forced, present == null ? null : present.token.expires());
        }
    }

    @Override
    public void close() {
        if (!shared) {
            end();
        }
    }

    /** Stops renewing. */
    void end() {
        Renewal unfinished;
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            if (nextRenewal != null) {
                nextRenewal.cancel();
            }
            unfinished = renewal;
        }
        onEnd.run();
        if (unfinished != null) {
            unfinished.result.completeExceptionally(isClosed(null));
        }
    }

    /** Returns the cluster and the user, and no token. */
    @Override
    public String toString() {
        return "DsqlTokens[" + user + " at " + host + "]";
    }

    /** A running renewal. */
    private static final class Renewal {
        private final CompletableFuture<Credential> result = new CompletableFuture<>();

        /** The thread that signs. The lock guards this field and those below. */
        private @Nullable Thread thread;

        private Time.@Nullable Timer timeout;

        /** Whether the renewal took too long. Its failure has then been counted. */
        private boolean hasTimedOut;
    }
}
