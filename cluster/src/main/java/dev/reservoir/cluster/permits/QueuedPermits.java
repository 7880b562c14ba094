package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetHealth.StoreHealth;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.cluster.protocol.JitteredPause;
import dev.reservoir.cluster.protocol.RequestQueue;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Permits of a cluster, and the common part of both modes: the queue of requests, the order of the steps, the pauses
 * between calls, and the local share while the store is away. One call is under way at a time. A mode decides what to
 * ask for, and when. Used only on the budget's serial executor. Never blocks on the store.
 */
public abstract class QueuedPermits extends BudgetPart implements Permits {
    /** After this wait, requests that only top up are treated as urgent. */
    static final long PATIENCE_NANOS = 10_000_000_000L;

    /** Requests that arrive within this time share one write. */
    private static final long GATHER_NANOS = 1_000_000L;

    /** Number of attempts in a row while other processes write as well. Then comes a pause. */
    private static final int TRIES = 8;

    private static final Permit LOCAL_PERMIT = () -> {};

    private final Runnable go = this::go;
    private final Runnable ask = this::ask;
    final StoreCalls calls;
    final RequestQueue<Permit> queue;
    final JitteredPause pause;
    private final StoreHealth storeHealth;

    /** Whether a call is under way, or is about to be sent. */
    boolean calling;

    boolean closed;

    /** Number of attempts in a row that other processes made futile. */
    int tries;

    /** The earliest time of the next call. */
    long notBeforeNanos;

    long denied;
    long givenBack;
    long lapsed;

    /** Whether this process opens connections on its local share. */
    private boolean isLocal;

    /** The earliest time of the next permit of the local share. */
    private long nextLocalNanos;

    private Time.@Nullable Timer alarm;

    QueuedPermits(BudgetContext context, StoreCalls calls) {
        super(context);
        this.calls = calls;
        this.storeHealth = calls.storeHealth();
        long maxWait = settings.maxWait().toNanos();
        this.queue = new RequestQueue<>(context, "permit", OpenFailureReason.RATE_LIMIT, maxWait, go, this::why);
        this.nextLocalNanos = time.nanos();
        this.pause = new JitteredPause(50_000_000L, 5_000_000_000L, context.random());
        storeHealth.listen(go);
    }

    @Override
    public final CompletionStage<Permit> acquire(Urgency urgency) {
        return queue.join(urgency == Urgency.URGENT);
    }

    @Override
    public final double ratePerSecond() {
        return context.fairRate();
    }

    @Override
    public final String describe() {
        StringBuilder text = new StringBuilder("cluster's connection rate ");
        serial.enter(() -> text.append(Text.perSecond(settings.ratePerSecond()))
                .append(", ")
                .append(terms())
                .append(", ")
                .append(why()));
        return text.toString();
    }

    private String why() {
        return storeHealth.isAway() ? "the cluster budget does not answer (" + storeHealth.why() + ")" : state();
    }

    /** Returns the counters. Called on the budget's serial executor. */
    public final BudgetStats.Permits stats() {
        dropLate();
        return queue.permitStats(denied, givenBack, lapsed);
    }

    /** Refuses all requests from now on and gives back what it can. The stage completes when that is done. */
    public abstract CompletionStage<Void> close();

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
        long wait = serveLocally();
        setAlarm(Math.min(wait, next()));
    }

    final void serve(Permit permit) {
        queue.serve(permit, permit::giveBack);
    }

    /**
     * While the store is away, serves requests at the local rate. These permits are evenly spaced, with no burst.
     * Returns the nanoseconds until the next one; {@link Long#MAX_VALUE} if none is needed.
     */
    private long serveLocally() {
        if (!storeHealth.usesLocalShare()) {
            isLocal = false;
            return Long.MAX_VALUE;
        }
        long now = time.nanos();
        double spacing = 1e9 / context.localRatePerSecond();
        if (!isLocal) {
            // Start at a random offset, so that not all processes open at the same moment.
            isLocal = true;
            long start = now + (long) (spacing * context.random().nextDouble());
            nextLocalNanos = Math.max(nextLocalNanos, start);
        }
        while (queue.size() > 0 && nextLocalNanos <= now) {
            serve(LOCAL_PERMIT);
            nextLocalNanos = now + (long) spacing;
        }
        return queue.size() == 0 ? Long.MAX_VALUE : nextLocalNanos - now;
    }

    private void setAlarm(long waitNanos) {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
        if (waitNanos < Long.MAX_VALUE && queue.size() > 0) {
            alarm = after(Math.max(1, waitNanos), go);
        }
    }

    /** Asks after the given time. If it is over, asks after a moment in which further requests gather. */
    final long askIn(long waitNanos) {
        if (waitNanos > 0) {
            return waitNanos;
        }
        calling = true;
        after(GATHER_NANOS, ask);
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
