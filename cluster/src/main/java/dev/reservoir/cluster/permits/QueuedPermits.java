package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.JitteredPause;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.cluster.protocol.StoreHealth;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The common part of both modes: the queue of requests, the order of the steps, and the pauses between calls. One call
 * is under way at a time. A mode decides what to ask for, and when. Used only on the budget's serial executor. Never
 * blocks on the store.
 */
abstract class QueuedPermits implements ClusterPermits {
    /** After this wait, requests that only top up are treated as urgent. */
    static final long PATIENCE_NANOS = 10_000_000_000L;

    /** Requests that arrive within this time share one write. */
    private static final long GATHER_NANOS = 1_000_000L;

    /** Number of attempts in a row while other processes write as well. Then comes a pause. */
    private static final int TRIES = 8;

    final BudgetContext context;
    final ClusterSettings settings;
    final SerialExecutor serial;
    final Time time;
    final StoreClock clock;
    final StoreCalls calls;
    final PermitQueue queue;
    final JitteredPause pause;
    private final StoreHealth storeHealth;
    private final LocalFallback fallback;

    /** Whether a call is under way, or is about to be sent. */
    boolean calling;

    boolean closed;

    /** Number of attempts in a row that other processes made futile. */
    int tries;

    /** The earliest time of the next call. */
    long notBeforeNanos;

    long denied;
    long lapsed;
    private Time.@Nullable Timer alarm;

    QueuedPermits(BudgetContext context, StoreCalls calls) {
        this.context = context;
        this.settings = context.settings();
        this.serial = context.serial();
        this.time = context.time();
        this.clock = context.clock();
        this.calls = calls;
        this.storeHealth = calls.storeHealth();
        this.queue =
                new PermitQueue(serial, context.timers(), settings.maxWait().toNanos(), this::go, this::why);
        this.fallback = new LocalFallback(context);
        this.pause = new JitteredPause(50_000_000L, 5_000_000_000L, context.random());
        storeHealth.listen(this::go);
    }

    @Override
    public final CompletionStage<Permit> acquire(Urgency urgency) {
        return queue.join(urgency);
    }

    @Override
    public final double ratePerSecond() {
        return context.fairRate();
    }

    @Override
    public final String describe() {
        StringBuilder text = new StringBuilder();
        serial.enter(() -> text.append("cluster's connection rate ")
                .append(Text.perSecond(settings.ratePerSecond()))
                .append(", ")
                .append(terms())
                .append(", ")
                .append(why()));
        return text.toString();
    }

    private String why() {
        return storeHealth.isAway() ? "the cluster budget does not answer (" + storeHealth.why() + ")" : state();
    }

    /** Describes what applies besides the rate, for messages. */
    abstract String terms();

    /** Describes when the next permit comes, for messages. */
    abstract String state();

    /** Drops the permits that can no longer be used. */
    abstract void dropLate();

    /** Serves requests with the permits that may be used now. */
    abstract void serveDue();

    /**
     * Starts the call that is needed next, if any. Returns the nanoseconds until {@link #go} must run again;
     * {@link Long#MAX_VALUE} if no time is known.
     */
    abstract long next();

    /** Sends the call, or none if it is no longer needed. */
    abstract void ask();

    /** Serves the requests that can be served, and starts the call or timer that is needed next. */
    final void go() {
        dropLate();
        serveDue();
        long wait = fallback.serve(queue, storeHealth.usesLocalShare(), Long.MAX_VALUE);
        setAlarm(Math.min(wait, next()));
    }

    private void setAlarm(long waitNanos) {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
        if (waitNanos < Long.MAX_VALUE && queue.size() > 0) {
            alarm = time.schedule(Math.max(1, waitNanos), () -> serial.enter(this::go));
        }
    }

    /** Asks after the given time. If it is over, asks after a moment in which further requests gather. */
    final long askIn(long waitNanos) {
        if (waitNanos > 0) {
            return waitNanos;
        }
        calling = true;
        time.schedule(GATHER_NANOS, () -> serial.enter(this::ask));
        return Long.MAX_VALUE;
    }

    /** Notes that no call is under way any more. */
    void called() {
        calling = false;
    }

    /** Asks again after this time. */
    final void later(long nanos) {
        called();
        notBeforeNanos = time.nanos() + nanos;
        go();
    }

    /** Asks again, because other processes have written in the meantime: a few times at once, then after a pause. */
    final void askAgain() {
        if (++tries < TRIES) {
            ask();
        } else {
            pauseAfterFailure();
        }
    }

    final void pauseAfterFailure() {
        tries = 0;
        later(pause.next());
    }
}
