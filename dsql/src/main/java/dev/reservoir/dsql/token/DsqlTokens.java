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
 * IAM tokens of one cluster, one user and one source of AWS credentials: the password of each connect. Data sources with the same of all
 * three have them together. One token is kept and
 * used until shortly before its end, which is that of the token or that of the credentials behind it, whichever comes first. It
 * is renewed long before, in the background, by one flight at a time; whoever comes while there is none waits for that flight.
 *
 * <p>A source of credentials that fails or hangs is asked again after a growing pause; meanwhile the token that has not expired
 * serves. A token that the server refuses is replaced once, at once; if that does not help, the next is not forced for a
 * minute, since it is not the token then.
 *
 * <p>No method blocks. Credentials are resolved on a thread of its own. Never shows a token: not in logs, not in exceptions, not
 * in {@link #toString}.
 */
public final class DsqlTokens implements Credentials, AutoCloseable {
    /** As AWS has it. */
    public static final Duration DURATION_DEFAULT = Duration.ofMinutes(15);

    static final Duration DURATION_MIN = Duration.ofSeconds(1);
    static final Duration DURATION_MAX = Duration.ofDays(7);

    /** For clocks that differ, and for the way to the server. A quarter of the life where that is less. */
    private static final Duration MARGIN_MAX = Duration.ofMinutes(1);

    private static final long RENEWAL_LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_BASE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);
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

    /** Whether they belong to data sources, with the last of which they end. */
    private final boolean shared;

    /** Guards the fields below. Nothing foreign is called and no stage is completed while it is held. */
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
     * Tokens by the AWS SDK. Asks for nothing before the first is wanted. To be closed in the end.
     *
     * @param host the cluster's host name
     * @param region the cluster's region
     * @param user {@code admin}, or a role of the database
     * @param duration how long the server is to accept each; from 1 second to 7 days
     */
    public static DsqlTokens of(
            String host, String region, String user, AwsCredentialsProvider credentials, Duration duration) {
        return of(host, region, user, credentials, duration, () -> {}, false);
    }

    /**
     * The same.
     *
     * @param alsoEnd what else is to be done at the end
     * @param shared whether they end by {@link #end} alone
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

    /** The duration, if the server would take it. */
    public static Duration check(String givenAs, Duration duration) {
        if (duration.compareTo(DURATION_MIN) < 0 || duration.compareTo(DURATION_MAX) > 0) {
            throw new IllegalArgumentException(
                    givenAs + " is " + duration.toMillis() / 1e3 + " s; allowed: 1 s to 604800 s (7 days)");
        }
        return duration;
    }

    /** The user and the token for the next connect. The stage fails if there is none and none could be made. */
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

    /** Hears that the server did not accept a token. If it is the present one, the next is made at once. */
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

    /** Starts a flight unless one is under way. Called under the lock. */
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
        // Not from here: an executor may run it at once, on this thread.
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
        // Whoever interrupted this thread meant the flight before.
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

    /** Under the lock, so that nobody is interrupted who has left. */
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

    /** Nobody waits any longer, and it has failed; but no other flight begins before this one has come back, which may be never. */
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

    /** Who the tokens are for. */
    public String user() {
        return user;
    }

    /** The numbers of this moment. */
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
     * Renews no more. A token that has not expired goes on serving. Does nothing to those of a {@link DsqlDataSource}: they may serve others,
     * too, and end with the last. Does not block.
     */
    @Override
    public void close() {
        if (!shared) {
            end();
        }
    }

    /** Renews no more. */
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

    /** Cluster and user, and no token. */
    @Override
    public String toString() {
        return "DsqlTokens[" + user + " at " + host + "]";
    }

    /** A renewal under way. */
    private static final class Flight {
        private final CompletableFuture<Credential> credential = new CompletableFuture<>();

        /** Guarded by the lock, as is what follows. */
        private @Nullable Thread pilot;

        /** Whether it took too long, so that its failure has been counted. */
        private boolean overdue;

        private Time.@Nullable Timer patience;
    }
}
