package dev.reservoir.core.internal.opening;

import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
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
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes connects through their steps: lease, permit, connect (promise 4). Many are under way at once, and each step has its
 * deadline, so one that hangs costs its place until then and stops no other (promise 7). What comes after its attempt
 * was over is given back or closed. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
public final class Openings<T> {
    /** An error that comes so often in a row is not one of a moment. */
    private static final int TRIES_MAX = 3;

    private final EventLoop control;
    private final Time time;
    private final CurrentSettings settings;
    private final Connector<T> connector;
    private final Permits permits;
    private final @Nullable Leases leases;
    private final LeaseCount books;
    private final Closings<T> closings;
    private final Outcome<T> outcome;

    private final Set<Attempt> attempts = new LinkedHashSet<>();

    /** Given up while connecting: their leases are held until the connect is known to have ended. */
    private final Set<Attempt> abandoned = new LinkedHashSet<>();

    private int overflow;

    public Openings(
            EventLoop control,
            Time time,
            CurrentSettings settings,
            Connector<T> connector,
            Permits permits,
            @Nullable Leases leases,
            LeaseCount books,
            Closings<T> closings,
            Outcome<T> outcome) {
        this.control = control;
        this.time = time;
        this.settings = settings;
        this.connector = connector;
        this.permits = permits;
        this.leases = leases;
        this.books = books;
        this.closings = closings;
        this.outcome = outcome;
    }

    /** What becomes of an attempt. Called under the lock. */
    public interface Outcome<T> {
        void opened(T connection, @Nullable Lease lease, Purpose purpose, long openNanos, long bornNanos);

        void failed(OpenFailureReason reason, Throwable cause, long begunNanos);

        /** A connection came after its attempt had been given up: it is to be closed. */
        void late(T connection, @Nullable Lease lease, long nowNanos);

        void leased(long begunNanos);

        void permitted(long begunNanos);
    }

    /** Attempts under way that are not for temporary connections. */
    public int opening() {
        return attempts.size() - overflow;
    }

    public int openingOverflow() {
        return overflow;
    }

    public int count(Step step) {
        int n = 0;
        for (Attempt attempt : attempts) {
            if (attempt.step == step) {
                n++;
            }
        }
        return n;
    }

    /** Connects that the server has not answered for so long. */
    public int unansweredFor(long nanos) {
        long now = time.nanos();
        int n = 0;
        for (Attempt attempt : attempts) {
            if (attempt.step == Step.CONNECT && now - attempt.stepBegunNanos >= nanos) {
                n++;
            }
        }
        return n;
    }

    public void begin(Purpose purpose, Urgency urgency) {
        Attempt attempt = new Attempt(purpose, urgency);
        attempts.add(attempt);
        if (purpose == Purpose.OVERFLOW) {
            overflow++;
        }
        if (leases == null) {
            guarded(attempt, OpenFailureReason.RATE_LIMIT, () -> askForPermit(attempt));
        } else {
            guarded(attempt, OpenFailureReason.LEASE_ACQUIRE, () -> askForLease(attempt, leases));
        }
    }

    /** An error in a step ends the attempt as any other failure does: it must not keep its place for ever. */
    private void guarded(Attempt attempt, OpenFailureReason reason, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            if (!attempt.isOver()) {
                fail(attempt, reason, e);
            }
        }
    }

    /** Gives up attempts that have not begun to connect: no permit is used up by them. */
    public void cancelUnbegun() {
        for (Attempt attempt : List.copyOf(attempts)) {
            if (attempt.step != Step.CONNECT) {
                end(attempt);
                closings.release(attempt.lease, released -> {});
            }
        }
    }

    /**
     * Gives up attempts that have a lease and not yet a permit, as long as leases are wanted. The youngest first: those who
     * have stood in line for permits longest are the first to have a connection.
     */
    public void cancelWithLeases(IntSupplier wanted) {
        List<Attempt> all = List.copyOf(attempts);
        for (int i = all.size() - 1; i >= 0 && wanted.getAsInt() > 0; i--) {
            Attempt attempt = all.get(i);
            if (attempt.step == Step.PERMIT && attempt.lease != null) {
                end(attempt);
                closings.release(attempt.lease, released -> {});
            }
        }
    }

    /** Gives up everything: what comes later is closed. The leases of abandoned attempts are given back now. */
    public void abandonAll() {
        for (Attempt attempt : List.copyOf(attempts)) {
            end(attempt);
            if (attempt.step == Step.CONNECT) {
                abandoned.add(attempt);
            } else {
                closings.release(attempt.lease, released -> {});
            }
        }
        for (Attempt attempt : abandoned) {
            closings.release(attempt.lease, released -> {});
            attempt.lease = null;
        }
    }

    private void askForLease(Attempt attempt, Leases from) {
        enter(attempt, Step.LEASE, settings.get().leaseTimeoutNanos(), OpenFailureReason.LEASE_ACQUIRE);
        control.later(() -> SpiCalls.call(from::acquire, (lease, error) -> {
            if (lease != null) {
                books.came();
            }
            control.post(() -> leased(attempt, lease, error));
        }));
    }

    private void leased(Attempt attempt, @Nullable Lease lease, @Nullable Throwable error) {
        if (attempt.isOver()) {
            closings.release(lease, released -> {});
        } else if (lease == null) {
            fail(attempt, OpenFailureReason.LEASE_ACQUIRE, error);
        } else if (books.owed() > 0) {
            // Its source wants leases back, and this is the cheapest to give.
            end(attempt);
            closings.release(lease, released -> {});
        } else {
            attempt.lease = lease;
            outcome.leased(attempt.stepBegunNanos);
            guarded(attempt, OpenFailureReason.RATE_LIMIT, () -> askForPermit(attempt));
        }
    }

    private void askForPermit(Attempt attempt) {
        enter(attempt, Step.PERMIT, patienceForPermit(), OpenFailureReason.RATE_LIMIT);
        control.later(() -> {
            SpiCalls.call(
                    () -> {
                        var stage = permits.acquire(attempt.urgency);
                        attempt.cancelPermit = () -> stage.toCompletableFuture().cancel(false);
                        if (attempt.isOver()) {
                            stage.toCompletableFuture().cancel(false);
                        }
                        return stage;
                    },
                    (permit, error) -> control.post(() -> {
                        if (attempt.isOver()) {
                            if (permit != null) {
                                control.later(permit::giveBack);
                            }
                        } else if (permit == null) {
                            fail(attempt, OpenFailureReason.RATE_LIMIT, error);
                        } else {
                            attempt.permit = permit;
                            outcome.permitted(attempt.stepBegunNanos);
                            guarded(attempt, OpenFailureReason.CONNECT, () -> connect(attempt));
                        }
                    }));
        });
    }

    /** The time-out, and what standing in line behind this reservoir's own attempts can take, twice over for neighbours. */
    private long patienceForPermit() {
        double inLineNanos = 2e9 * attempts.size() / permits.ratePerSecond();
        return Nanos.sum(settings.get().permitTimeoutNanos(), (long) inLineNanos);
    }

    private void connect(Attempt attempt) {
        enter(attempt, Step.CONNECT, settings.get().connectTimeoutNanos(), OpenFailureReason.CONNECT_TIMEOUT);
        control.later(() -> SpiCalls.call(
                () -> connector.open(settings.get().connectTimeoutNanos()),
                (connection, error) -> answered(attempt, connection, error)));
    }

    /** Nobody else knows of this connection: an error on the way to the keeper, such as memory that runs out, is not the end. */
    private void answered(Attempt attempt, @Nullable T connection, @Nullable Throwable error) {
        for (int tries = 1; ; tries++) {
            try {
                long now = time.nanos();
                control.post(() -> connected(attempt, connection, error, now));
                return;
            } catch (RuntimeException | Error e) {
                if (tries == TRIES_MAX) {
                    throw e;
                }
            }
        }
    }

    private void connected(Attempt attempt, @Nullable T connection, @Nullable Throwable error, long nowNanos) {
        boolean late = attempt.isOver();
        abandoned.remove(attempt);
        if (connection != null && !late) {
            try {
                end(attempt);
            } finally {
                // Nobody else knows of the connection, so an error above does not stop it.
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

    /** The pauses of our own steps end when these succeed; what stops a connect after them can only be the server. */
    private static OpenFailureReason ofServer(OpenFailureReason reason) {
        return switch (reason) {
            case RATE_LIMIT -> OpenFailureReason.SERVER_RATE;
            case LEASE_ACQUIRE -> OpenFailureReason.SERVER_FULL;
            default -> reason;
        };
    }

    private void enter(Attempt attempt, Step step, long timeoutNanos, OpenFailureReason reasonIfLate) {
        attempt.cancelTimer();
        attempt.step = step;
        attempt.stepBegunNanos = time.nanos();
        attempt.timer = time.schedule(
                timeoutNanos,
                () -> control.post(() -> {
                    if (!attempt.isOver() && attempt.step == step) {
                        timedOut(attempt, reasonIfLate, timeoutNanos);
                    }
                }));
    }

    private void timedOut(Attempt attempt, OpenFailureReason reason, long timeoutNanos) {
        var cause = new OpenFailedException(reason, "no answer within " + Text.nanos(timeoutNanos), null);
        if (attempt.step == Step.CONNECT) {
            end(attempt);
            abandoned.add(attempt);
            outcome.failed(reason, cause, attempt.stepBegunNanos);
        } else {
            fail(attempt, reason, cause);
        }
    }

    private void fail(Attempt attempt, OpenFailureReason reason, @Nullable Throwable error) {
        end(attempt);
        closings.release(attempt.lease, released -> {});
        Throwable cause = error != null ? error : new IllegalStateException("the stage completed with nothing");
        outcome.failed(reason, cause, attempt.stepBegunNanos);
    }

    private void end(Attempt attempt) {
        attempt.cancelTimer();
        if (attempts.remove(attempt) && attempt.purpose == Purpose.OVERFLOW) {
            overflow--;
        }
        // In this order: who asks for the permit sets the one and then looks at the other.
        attempt.over = true;
        Permit used = attempt.permit;
        if (used != null) {
            attempt.permit = null;
            control.later(used::answered);
        }
        Runnable cancel = attempt.cancelPermit;
        if (cancel != null && attempt.step == Step.PERMIT) {
            control.later(cancel);
        }
    }

    /** What a connection is opened for. */
    public enum Purpose {
        /** To be one of those that the reservoir holds. */
        STAY,
        /** To be a temporary one beyond the maximum. */
        OVERFLOW,
        /** To stay, and to ask the server first which of those in use it still serves, since none comes back. */
        RESCUE
    }

    /** The steps of an attempt. */
    public enum Step {
        LEASE,
        PERMIT,
        CONNECT
    }

    private static final class Attempt {
        private final Purpose purpose;
        private final Urgency urgency;
        private Step step = Step.LEASE;
        private long stepBegunNanos;
        private @Nullable Lease lease;
        private @Nullable Permit permit;
        private Time.@Nullable Timer timer;

        /** Written outside the lock, once, by whoever asked for the permit. */
        private volatile @Nullable Runnable cancelPermit;

        private volatile boolean over;

        Attempt(Purpose purpose, Urgency urgency) {
            this.purpose = purpose;
            this.urgency = urgency;
        }

        boolean isOver() {
            return over;
        }

        void cancelTimer() {
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        }
    }
}
