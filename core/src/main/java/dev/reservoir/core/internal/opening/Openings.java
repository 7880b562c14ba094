package dev.reservoir.core.internal.opening;

import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.internal.calls.EngineSpi;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.SpiCalls;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.util.Text;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries attempts to open connections through their steps: lease, permit, connect (promise 4). Never decides how many
 * to open. All state is guarded by the keeper's lock.
 *
 * <p><b>States.</b> An attempt waits for its lease, waits for its permit, connects, and is over. Without a source of
 * leases it begins with the permit. The keeper begins attempts and gives them up. The SPI's answers and the timers post
 * events that move an attempt to its next step or end it. An attempt that is given up while it connects is abandoned:
 * its lease stays held until the connect has ended, because the server may have opened the connection. Only the end of
 * the reservoir releases that lease earlier.
 *
 * <p><b>Why each step has its own deadline.</b> Many attempts are under way at once. An attempt that hangs occupies one
 * place until its deadline and stops no other (promise 7). A thread per attempt that runs all its steps would be
 * simpler. But then slow permits or connects would use up the threads, and nothing could run on virtual time.
 *
 * <p>A lease or permit that arrives after its attempt is over goes back, and a connection that arrives late is closed.
 *
 * @param <T> the connection
 */
@SuppressWarnings("EnumOrdinal") // an array is faster than a map
public final class Openings<T> {
    /** Bounds the attempts to post an answer. An error that repeats this often is not transient. */
    private static final int TRIES_MAX = 3;

    private final EventLoop eventLoop;
    private final CurrentSettings settings;
    private final Connector<T> connector;
    private final Permits permits;
    private final @Nullable Leases leases;
    private final LeaseCount leaseCount;
    private final Closings<T> closings;
    private final Outcome<T> outcome;

    private final Set<OpenAttempt> attempts = new LinkedHashSet<>();

    /** Attempts given up while connecting. Their leases stay held until the connect is known to have ended. */
    private final Set<OpenAttempt> abandoned = new LinkedHashSet<>();

    /** The number of {@link #attempts} at each step. */
    private final int[] inStep = new int[Step.values().length];

    private int overflow;

    public Openings(
            EventLoop eventLoop,
            EngineSpi<T> spi,
            CurrentSettings settings,
            LeaseCount leaseCount,
            Closings<T> closings,
            Outcome<T> outcome) {
        this.eventLoop = eventLoop;
        this.connector = spi.connector();
        this.permits = spi.permits();
        this.leases = spi.leases();
        this.settings = settings;
        this.leaseCount = leaseCount;
        this.closings = closings;
        this.outcome = outcome;
    }

    /** Receives the results of attempts. Called under the lock. */
    public interface Outcome<T> {
        void opened(T connection, @Nullable Lease lease, Purpose purpose, long openNanos, long bornNanos);

        void failed(OpenFailureReason reason, Throwable cause, long begunNanos);

        /** A connection arrived after its attempt had been given up. It must be closed. */
        void late(T connection, @Nullable Lease lease, long nowNanos);

        void leased(long begunNanos);

        void permitted(long begunNanos);
    }

    /** Attempts under way, without those for temporary connections. */
    public int opening() {
        return attempts.size() - overflow;
    }

    public int openingOverflow() {
        return overflow;
    }

    /** Attempts that are at this step. */
    public int count(Step step) {
        return inStep[step.ordinal()];
    }

    /** Connects that the server has not answered for at least this long. */
    public int unansweredFor(long nanos) {
        long now = eventLoop.nanos();
        int n = 0;
        for (OpenAttempt attempt : attempts) {
            if (attempt.step == Step.CONNECT && now - attempt.stepBegunNanos >= nanos) {
                n++;
            }
        }
        return n;
    }

    public void begin(Purpose purpose, Urgency urgency) {
        OpenAttempt attempt = new OpenAttempt(purpose, urgency);
        attempts.add(attempt);
        inStep[attempt.step.ordinal()]++;
        if (purpose == Purpose.OVERFLOW) {
            overflow++;
        }
        proceed(attempt, leases == null ? Step.PERMIT : Step.LEASE);
    }

    /** An error in a step ends the attempt like any other failure. Otherwise it would keep its place for ever. */
    private void proceed(OpenAttempt attempt, Step step) {
        try {
            switch (step) {
                case LEASE -> askForLease(attempt, Objects.requireNonNull(leases));
                case PERMIT -> askForPermit(attempt);
                case CONNECT -> connect(attempt);
            }
        } catch (RuntimeException | Error e) {
            if (!attempt.isOver()) {
                fail(attempt, step.reasonIfItFails, e);
            }
        }
    }

    /** Gives up attempts that have not begun to connect. They use up no permit. */
    public void cancelUnbegun() {
        for (OpenAttempt attempt : List.copyOf(attempts)) {
            if (attempt.step != Step.CONNECT) {
                end(attempt);
                closings.release(attempt.lease, released -> {});
            }
        }
    }

    /**
     * Gives up attempts that have a lease and no permit yet, as long as leases are wanted. It takes the youngest first,
     * because the attempts that have waited longest for a permit will have a connection first.
     */
    public void cancelWithLeases(IntSupplier wanted) {
        List<OpenAttempt> all = List.copyOf(attempts);
        for (int i = all.size() - 1; i >= 0 && wanted.getAsInt() > 0; i--) {
            OpenAttempt attempt = all.get(i);
            if (attempt.step == Step.PERMIT && attempt.lease != null) {
                end(attempt);
                closings.release(attempt.lease, released -> {});
            }
        }
    }

    /**
     * Gives up all attempts. A connection that arrives later is closed. The leases of abandoned attempts are released
     * now.
     */
    public void abandonAll() {
        for (OpenAttempt attempt : List.copyOf(attempts)) {
            end(attempt);
            if (attempt.step == Step.CONNECT) {
                abandoned.add(attempt);
            } else {
                closings.release(attempt.lease, released -> {});
            }
        }
        for (OpenAttempt attempt : abandoned) {
            closings.release(attempt.lease, released -> {});
            attempt.lease = null;
        }
    }

    private void askForLease(OpenAttempt attempt, Leases from) {
        enter(attempt, Step.LEASE, settings.get().leaseTimeoutNanos(), OpenFailureReason.LEASE_ACQUIRE);
        eventLoop.later(() -> SpiCalls.call(from::acquire, (lease, error) -> {
            if (lease != null) {
                leaseCount.came();
            }
            eventLoop.post(() -> leased(attempt, lease, error));
        }));
    }

    private void leased(OpenAttempt attempt, @Nullable Lease lease, @Nullable Throwable error) {
        if (attempt.isOver()) {
            closings.release(lease, released -> {});
        } else if (lease == null) {
            fail(attempt, OpenFailureReason.LEASE_ACQUIRE, error);
        } else if (leaseCount.owed() > 0) {
            // The source has recalled leases, and this one costs the least to release.
            end(attempt);
            closings.release(lease, released -> {});
        } else {
            attempt.lease = lease;
            outcome.leased(attempt.stepBegunNanos);
            proceed(attempt, Step.PERMIT);
        }
    }

    private void askForPermit(OpenAttempt attempt) {
        enter(attempt, Step.PERMIT, patienceForPermit(), OpenFailureReason.RATE_LIMIT);
        eventLoop.later(() -> {
            SpiCalls.call(
                    () -> {
                        var stage = permits.acquire(attempt.urgency);
                        attempt.requested = stage;
                        if (attempt.isOver()) {
                            stage.toCompletableFuture().cancel(false);
                        }
                        return stage;
                    },
                    (permit, error) -> eventLoop.post(() -> {
                        if (attempt.isOver()) {
                            if (permit != null) {
                                eventLoop.later(permit::giveBack);
                            }
                        } else if (permit == null) {
                            fail(attempt, OpenFailureReason.RATE_LIMIT, error);
                        } else {
                            attempt.permit = permit;
                            outcome.permitted(attempt.stepBegunNanos);
                            proceed(attempt, Step.CONNECT);
                        }
                    }));
        });
    }

    /**
     * The timeout, plus the time that this reservoir's own attempts may need before this one. That time is doubled, to
     * allow for other users of the same source.
     */
    private long patienceForPermit() {
        double inLineNanos = 2e9 * attempts.size() / permits.ratePerSecond();
        return Nanos.sum(settings.get().permitTimeoutNanos(), (long) inLineNanos);
    }

    private void connect(OpenAttempt attempt) {
        enter(attempt, Step.CONNECT, settings.get().connectTimeoutNanos(), OpenFailureReason.CONNECT_TIMEOUT);
        eventLoop.later(() -> SpiCalls.call(
                () -> connector.open(settings.get().connectTimeoutNanos()),
                (connection, error) -> answered(attempt, connection, error)));
    }

    /**
     * Nobody else knows of this connection. An error on the way to the keeper, such as a lack of memory, is therefore
     * retried.
     */
    private void answered(OpenAttempt attempt, @Nullable T connection, @Nullable Throwable error) {
        for (int tries = 1; ; tries++) {
            try {
                long now = eventLoop.nanos();
                eventLoop.post(() -> connected(attempt, connection, error, now));
                return;
            } catch (RuntimeException | Error e) {
                if (tries == TRIES_MAX) {
                    throw e;
                }
            }
        }
    }

    private void connected(OpenAttempt attempt, @Nullable T connection, @Nullable Throwable error, long nowNanos) {
        boolean late = attempt.isOver();
        abandoned.remove(attempt);
        if (connection != null && !late) {
            try {
                end(attempt);
            } finally {
                // Nobody else knows of the connection, so it must be passed on despite an error above.
                outcome.opened(connection, attempt.lease, attempt.purpose, nowNanos - attempt.stepBegunNanos, nowNanos);
            }
        } else if (connection != null) {
            outcome.late(connection, attempt.lease, nowNanos);
        } else if (late) {
            closings.release(attempt.lease, released -> {});
        } else {
            OpenFailureReason reason =
                    error instanceof OpenFailedException named ? ofServer(named.reason()) : OpenFailureReason.CONNECT;
            fail(attempt, reason, error);
        }
    }

    /**
     * The pauses after our own lease and permit failures end when those steps succeed. A connect comes after both, so
     * only the server can have stopped it.
     */
    private static OpenFailureReason ofServer(OpenFailureReason reason) {
        return switch (reason) {
            case RATE_LIMIT -> OpenFailureReason.SERVER_RATE;
            case LEASE_ACQUIRE -> OpenFailureReason.SERVER_FULL;
            default -> reason;
        };
    }

    private void enter(OpenAttempt attempt, Step step, long timeoutNanos, OpenFailureReason reasonIfLate) {
        attempt.cancelTimer();
        inStep[attempt.step.ordinal()]--;
        inStep[step.ordinal()]++;
        attempt.step = step;
        attempt.stepBegunNanos = eventLoop.nanos();
        attempt.timer = eventLoop.schedule(timeoutNanos, () -> {
            if (!attempt.isOver() && attempt.step == step) {
                timedOut(attempt, reasonIfLate, timeoutNanos);
            }
        });
    }

    private void timedOut(OpenAttempt attempt, OpenFailureReason reason, long timeoutNanos) {
        var cause = new OpenFailedException(reason, "no answer within " + Text.nanos(timeoutNanos), null);
        if (attempt.step == Step.CONNECT) {
            end(attempt);
            abandoned.add(attempt);
            outcome.failed(reason, cause, attempt.stepBegunNanos);
        } else {
            fail(attempt, reason, cause);
        }
    }

    private void fail(OpenAttempt attempt, OpenFailureReason reason, @Nullable Throwable error) {
        end(attempt);
        closings.release(attempt.lease, released -> {});
        Throwable cause = error != null ? error : new IllegalStateException("the stage completed without a result");
        outcome.failed(reason, cause, attempt.stepBegunNanos);
    }

    private void end(OpenAttempt attempt) {
        attempt.cancelTimer();
        if (attempts.remove(attempt)) {
            inStep[attempt.step.ordinal()]--;
            overflow -= attempt.purpose == Purpose.OVERFLOW ? 1 : 0;
        }
        // The order matters. The thread that requests the permit first sets {@code requested} and then reads
        // {@code over}. This method first sets {@code over} and then reads {@code requested}.
        attempt.over = true;
        Permit used = attempt.permit;
        if (used != null) {
            attempt.permit = null;
            eventLoop.later(used::answered);
        }
        CompletionStage<Permit> requested = attempt.requested;
        if (requested != null && attempt.step == Step.PERMIT) {
            eventLoop.later(() -> requested.toCompletableFuture().cancel(false));
        }
    }

    /** The purpose of a connection. */
    public enum Purpose {
        /** It joins the connections that the reservoir holds. */
        STAY,
        /** It is a temporary connection beyond the maximum. */
        OVERFLOW,
        /**
         * It stays, but first asks the server which connections in use the server still serves, because none is
         * released.
         */
        RESCUE
    }

    /** The steps of an attempt. */
    public enum Step {
        LEASE(OpenFailureReason.LEASE_ACQUIRE),
        PERMIT(OpenFailureReason.RATE_LIMIT),
        CONNECT(OpenFailureReason.CONNECT);

        private final OpenFailureReason reasonIfItFails;

        Step(OpenFailureReason reasonIfItFails) {
            this.reasonIfItFails = reasonIfItFails;
        }
    }
}
