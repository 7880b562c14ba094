package dev.reservoir.dsql.token;

import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.DoublingPause;
import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.DsqlDataSource;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/**
 * Provides the IAM tokens of one cluster, one user and one source of AWS credentials. A token is the password of a
 * connect. Data sources with the same three and the same token duration share one instance.
 *
 * <p>It keeps one token and uses it until shortly before its end. A token ends when it expires or when the credentials
 * behind it expire, whichever comes first. A background task renews the token long before that, one renewal at a time.
 * If there is no usable token, callers wait for that renewal.
 *
 * <p>If the source of credentials fails or hangs, the next try follows after a growing pause. Until then the present
 * token is used as long as it is valid. If the server refuses a token, it is replaced once, immediately. If the server
 * refuses the new token as well, no further renewal is forced for a minute, because the token is not the problem.
 *
 * <p>No method blocks. Credentials are resolved on a separate thread. Never shows a token in logs, in exceptions or in
 * {@link #toString}.
 */
public final class DsqlTokens implements Credentials, AutoCloseable {
    /** Default validity of a token: the same as AWS's default. */
    public static final Duration DURATION_DEFAULT = Duration.ofMinutes(15);

    static final Duration DURATION_MIN = Duration.ofSeconds(1);
    static final Duration DURATION_MAX = Duration.ofDays(7);

    /**
     * Largest margin before its end in which a token is no longer used. It allows for clock differences and network
     * delay. The margin is a quarter of the token's validity if that is less.
     */
    private static final Duration MARGIN_MAX = Duration.ofMinutes(1);

    /** Shortest time before the next scheduled renewal, however short the validity of the tokens is. */
    private static final long RENEWAL_LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Longest time that callers wait for one renewal. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Pause after the first failed renewal. It doubles with each further failure. */
    private static final long PAUSE_BASE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Longest pause after a failed renewal. */
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Shortest time between two forced renewals. If a fresh token is refused too, the token is not the problem. */
    private static final long FORCED_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Logger log = LoggerFactory.getLogger(DsqlTokens.class);

    private final String host;
    private final String user;
    private final TokenSigner signer;
    private final Time time;
    private final InstantSource clock;
    private final Executor worker;
    private final RandomGenerator random;
    private final Runnable end;

    /** Whether data sources share this instance. It then ends with the last of them. */
    private final boolean shared;

    /** Guards the fields below. While it is held, no foreign code is called and no stage is completed. */
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable KeptToken kept;
    private @Nullable Flight flight;
    private Time.@Nullable Timer next;
    private int failuresInARow;
    private long notBeforeNanos;
    private long forcedNanos = Long.MIN_VALUE;
    private @Nullable Throwable lastFailure;
    private boolean closed;
    private long made;
    private long failures;
    private long refused;
    private long forced;

    DsqlTokens(
            String host,
            String user,
            TokenSigner signer,
            Time time,
            InstantSource clock,
            Executor worker,
            RandomGenerator random,
            Runnable end,
            boolean shared) {
        this.host = host;
        this.user = user;
        this.signer = signer;
        this.time = time;
        this.clock = clock;
        this.worker = worker;
        this.random = random;
        this.end = end;
        this.shared = shared;
    }

    /**
     * Returns tokens that the AWS SDK signs. It resolves no credentials before the first token is needed. The caller
     * must close it. Does not block.
     *
     * @param host the cluster's host name
     * @param region the cluster's region
     * @param user {@code admin}, or a role of the database
     * @param duration how long the server accepts each token, from 1 second to 7 days
     */
    public static DsqlTokens of(
            String host, String region, String user, AwsCredentialsProvider credentials, Duration duration) {
        return of(host, region, user, credentials, duration, () -> {}, false);
    }

    /**
     * Does the same, for shared tokens.
     *
     * @param alsoEnd runs when the tokens end
     * @param shared whether only {@link #end} ends the tokens
     */
    static DsqlTokens of(
            String host,
            String region,
            String user,
            AwsCredentialsProvider credentials,
            Duration duration,
            Runnable alsoEnd,
            boolean shared) {
        check("tokenDuration", duration);
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
        return new DsqlTokens(
                host,
                user,
                new SdkTokenSigner(host, region, user, credentials, duration, clock),
                time,
                clock,
                worker,
                new SplittableRandom(),
                () -> {
                    time.close();
                    worker.shutdownNow();
                    alsoEnd.run();
                },
                shared);
    }

    /**
     * Returns the duration if the server accepts it, and throws an {@link IllegalArgumentException} otherwise. Does
     * not block.
     */
    public static Duration check(String givenAs, Duration duration) {
        if (duration.compareTo(DURATION_MIN) < 0 || duration.compareTo(DURATION_MAX) > 0) {
            throw new IllegalArgumentException(
                    givenAs + " is " + duration.toMillis() / 1e3 + " s; allowed: 1 s to 604800 s (7 days)");
        }
        return duration;
    }

    /**
     * Returns the user and the token for the next connect. The stage fails if there is no token and none can be made.
     * Does not block.
     */
    @Override
    public CompletionStage<Credential> current() {
        lock.lock();
        try {
            KeptToken present = kept;
            if (present != null && present.isUsable(time.nanos(), clock.instant())) {
                return CompletableFuture.completedFuture(new Credential(user, present.token.secret()));
            }
            if (closed) {
                return CompletableFuture.failedFuture(new IllegalStateException(this + " is closed"));
            }
            long pause = notBeforeNanos - time.nanos();
            if (flight == null && pause > 0) {
                return CompletableFuture.failedFuture(new IllegalStateException(
                        "no token for " + user + " at " + host + " after " + failuresInARow + " tries, next in "
                                + Text.nanos(pause) + ": " + reason(lastFailure),
                        lastFailure));
            }
            return takeOff().credential.copy();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that the server did not accept a token. If it is the present token, a renewal starts at once. Does not
     * block.
     */
    @Override
    public void refused(Credential credential) {
        boolean renews = false;
        lock.lock();
        try {
            refused++;
            KeptToken present = kept;
            boolean isPresent = present != null && present.token.secret().equals(credential.secret());
            long now = time.nanos();
            if (present != null
                    && isPresent
                    && !present.refused
                    && !closed
                    && (forcedNanos == Long.MIN_VALUE || now - forcedNanos >= FORCED_AGAIN_NANOS)) {
                renews = true;
                present.refused = true;
                forcedNanos = now;
                forced++;
                if (flight == null && now >= notBeforeNanos) {
                    takeOff();
                }
            }
        } finally {
            lock.unlock();
        }
        if (renews) {
            log.warn("DSQL token refused by the server, making another  endpoint={} user={}", host, user);
        }
    }

    /** Starts a renewal unless one is running. The caller holds the lock. */
    private Flight takeOff() {
        Flight present = flight;
        if (present != null) {
            return present;
        }
        Flight begun = new Flight();
        flight = begun;
        if (next != null) {
            next.cancel();
            next = null;
        }
        begun.patience = time.schedule(PATIENCE_NANOS, () -> tooLong(begun));
        // Not called directly, because an executor may run the task at once on this thread, which holds the lock.
        time.execute(() -> start(begun));
        return begun;
    }

    private void start(Flight begun) {
        try {
            worker.execute(() -> fly(begun));
        } catch (RejectedExecutionException e) {
            begun.credential.completeExceptionally(new IllegalStateException(this + " is closed", e));
        }
    }

    private void fly(Flight flying) {
        // An interrupt that is still pending was meant for the previous renewal.
        Thread.interrupted();
        board(flying, Thread.currentThread());
        Token token = null;
        Throwable error = null;
        try {
            token = signer.sign();
            if (!token.expires().isAfter(clock.instant())) {
                error = new IllegalStateException("the AWS credentials expired at " + token.expires());
                token = null;
            }
        } catch (Exception | LinkageError e) {
            error = e;
        } finally {
            board(flying, null);
        }
        if (token != null) {
            landed(flying, token);
        } else {
            failed(flying, error == null ? new IllegalStateException("no token came") : error);
        }
    }

    /** Sets the thread under the lock, so that a thread is never interrupted after it has finished the renewal. */
    private void board(Flight flying, @Nullable Thread pilot) {
        lock.lock();
        try {
            flying.pilot = pilot;
        } finally {
            lock.unlock();
        }
    }

    private void landed(Flight flying, Token token) {
        int before;
        lock.lock();
        try {
            end(flying);
            made++;
            before = failuresInARow;
            failuresInARow = 0;
            lastFailure = null;
            notBeforeNanos = 0;
            Duration life = Duration.between(clock.instant(), token.expires());
            Duration quarter = life.dividedBy(4);
            Duration margin = quarter.compareTo(MARGIN_MAX) < 0 ? quarter : MARGIN_MAX;
            kept = new KeptToken(
                    token,
                    time.nanos() + life.minus(margin).toNanos(),
                    token.expires().minus(margin));
            long early = Math.min(
                    life.multipliedBy(2).dividedBy(3).toNanos(),
                    life.minus(margin.multipliedBy(2)).toNanos());
            schedule(Math.max(RENEWAL_LEAST_NANOS, early));
        } finally {
            lock.unlock();
        }
        flying.credential.complete(new Credential(user, token.secret()));
        if (before > 0) {
            log.info("DSQL token renewal works again  endpoint={} user={} failures={}", host, user, before);
        }
        log.debug("DSQL token made  endpoint={} user={} expires={}", host, user, token.expires());
    }

    private void failed(Flight flying, Throwable error) {
        long pause;
        int inARow;
        lock.lock();
        try {
            end(flying);
            if (!flying.overdue) {
                failures++;
                failuresInARow++;
            }
            inARow = failuresInARow;
            lastFailure = error;
            pause = DoublingPause.jittered(inARow - 1, PAUSE_BASE_NANOS, PAUSE_MAX_NANOS, random);
            notBeforeNanos = time.nanos() + pause;
            schedule(pause);
        } finally {
            lock.unlock();
        }
        flying.credential.completeExceptionally(
                new IllegalStateException("no token for " + user + " at " + host + ": " + reason(error), error));
        log.warn(
                "DSQL token renewal failed  endpoint={} user={} attempt={} next_try={} error=\"{}\"",
                host,
                user,
                inARow,
                Text.nanos(pause),
                reason(error).replace('"', '\''));
    }

    /**
     * Fails the waiting callers of an overdue renewal. No other renewal starts before this one returns, which may be
     * never.
     */
    private void tooLong(Flight flying) {
        TimeoutException error = new TimeoutException("no AWS credentials within " + Text.nanos(PATIENCE_NANOS));
        int inARow;
        lock.lock();
        try {
            if (flight != flying || closed) {
                return;
            }
            flying.overdue = true;
            failures++;
            inARow = ++failuresInARow;
            lastFailure = error;
            if (flying.pilot != null) {
                flying.pilot.interrupt();
            }
        } finally {
            lock.unlock();
        }
        flying.credential.completeExceptionally(error);
        log.warn(
                "DSQL token renewal hangs, none other begins before it ends  endpoint={} user={} attempt={} error=\"{}\"",
                host,
                user,
                inARow,
                reason(error));
    }

    private void end(Flight flying) {
        if (flying.patience != null) {
            flying.patience.cancel();
        }
        if (flight == flying) {
            flight = null;
        }
    }

    private void schedule(long nanos) {
        if (closed) {
            return;
        }
        next = time.schedule(nanos, () -> {
            lock.lock();
            try {
                if (!closed) {
                    takeOff();
                }
            } finally {
                lock.unlock();
            }
        });
    }

    private static String reason(@Nullable Throwable error) {
        return error == null ? "no reason known" : Text.oneLine(error);
    }

    /** The user that the tokens are for. */
    public String user() {
        return user;
    }

    /** Returns the current counts. Does not block. */
    public TokenStats stats() {
        lock.lock();
        try {
            KeptToken present = kept;
            return new TokenStats(made, failures, refused, forced, present == null ? null : present.token.expires());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops renewing. A token that has not expired remains usable. Does nothing to the tokens of a
     * {@link DsqlDataSource}, because other data sources may share them; they end with the last one. Does not block.
     */
    @Override
    public void close() {
        if (!shared) {
            end();
        }
    }

    /** Stops renewing. */
    void end() {
        Flight unfinished;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (next != null) {
                next.cancel();
            }
            unfinished = flight;
        } finally {
            lock.unlock();
        }
        end.run();
        if (unfinished != null) {
            unfinished.credential.completeExceptionally(new IllegalStateException(this + " is closed"));
        }
    }

    /** Returns the cluster and the user, and no token. */
    @Override
    public String toString() {
        return "DsqlTokens[" + user + " at " + host + "]";
    }

    /** A running renewal. */
    private static final class Flight {
        private final CompletableFuture<Credential> credential = new CompletableFuture<>();

        /** The lock guards this field and those below. */
        private @Nullable Thread pilot;

        /** Whether the renewal took too long. Its failure has then been counted. */
        private boolean overdue;

        private Time.@Nullable Timer patience;
    }
}
