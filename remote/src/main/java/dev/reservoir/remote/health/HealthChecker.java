package dev.reservoir.remote.health;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.core.util.Text;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Checks servers at their intervals. Decides nothing about them: a {@link HealthTarget} records the results.
 *
 * <p>Each check has a thread of its own, and each server at most one check under way. So a server that hangs costs one
 * thread and delays no other server. A check without an answer at its timeout has failed, and its connection is
 * aborted. While its thread still hangs, each further interval counts as another failure.
 */
public final class HealthChecker {
    /** Long enough for the end of a check that began before the server could be checked. */
    private static final Duration SOON = Duration.ofMillis(100);

    private final Time time;
    private final Executor threads;
    private final Map<HealthTarget, Watched> watched = new ConcurrentHashMap<>();
    private volatile boolean running;

    /**
     * Makes a checker that does not run yet.
     *
     * @param threads runs each task on a thread of its own, or rejects it
     */
    public HealthChecker(Time time, Executor threads) {
        this.time = time;
        this.threads = threads;
    }

    /** Begins to check all servers, now and then at their intervals. Does not block. */
    public synchronized void start() {
        if (!running) {
            running = true;
            watched.values().forEach(one -> one.scheduleFirst(Duration.ZERO));
        }
    }

    /** Stops the regular checks. A check under way still ends. Does not block. */
    public synchronized void stop() {
        running = false;
        watched.values().forEach(Watched::cancel);
    }

    /** Adds a server. */
    public synchronized void add(HealthTarget target) {
        Watched one = watched.computeIfAbsent(target, Watched::new);
        if (running) {
            one.scheduleFirst(Duration.ZERO);
        }
    }

    /** The interval of a server may have changed: counts it from the last check. Does not block. */
    public synchronized void changed(HealthTarget target) {
        Watched one = watched.get(target);
        if (one != null && running) {
            one.scheduleAnew();
        }
    }

    /**
     * Checks a server soon, and then at its interval, because it can be checked only now. Does nothing if the checker
     * does not run. Does not block.
     */
    public synchronized void checkSoon(HealthTarget target) {
        Watched one = watched.get(target);
        if (one != null && running) {
            Duration interval = target.health().interval();
            one.scheduleFirst(interval.compareTo(SOON) < 0 ? interval : SOON);
        }
    }

    /** Removes a server. A check under way ends without a result. */
    public synchronized void remove(HealthTarget target) {
        Watched one = watched.remove(target);
        if (one != null) {
            one.gone = true;
            one.cancel();
        }
    }

    /**
     * Checks a server now, also if the checker does not run. If a check is under way, its result counts. The future
     * completes by the timeout of the check: with true if the server answered as it should, and false if the check
     * failed or could say nothing about the server. It is false for a server that was not added, or was removed. Does
     * not block.
     */
    public CompletableFuture<Boolean> check(HealthTarget target) {
        Watched one = watched.get(target);
        return one == null ? CompletableFuture.completedFuture(false) : one.begin();
    }

    /** One server. */
    private final class Watched {
        private final HealthTarget target;

        /** The check under way, until its thread has ended. */
        private final AtomicReference<@Nullable CompletableFuture<Boolean>> underWay = new AtomicReference<>();

        private volatile boolean gone;

        // Guarded by the monitor of this object.

        private Time.@Nullable Timer timer;

        /** The number of the timer, so that an old one that could not be cancelled does nothing. */
        private int round;

        private boolean ticked;
        private long tickedNanos;

        Watched(HealthTarget target) {
            this.target = target;
        }

        /** Schedules a check that no change of the interval delays. */
        synchronized void scheduleFirst(Duration delay) {
            ticked = false;
            scheduleIn(delay);
        }

        synchronized void scheduleAnew() {
            if (ticked) {
                scheduleIn(target.health().interval().minusNanos(time.nanos() - tickedNanos));
            }
        }

        private void scheduleIn(Duration delay) {
            cancel();
            int own = ++round;
            timer = time.schedule(Math.max(0, delay.toNanos()), () -> tick(own));
        }

        synchronized void cancel() {
            Time.Timer present = timer;
            if (present != null) {
                present.cancel();
            }
        }

        private void tick(int own) {
            synchronized (this) {
                if (!running || gone || own != round) {
                    return;
                }
                ticked = true;
                tickedNanos = time.nanos();
                scheduleIn(target.health().interval());
            }
            if (target.health().enabled()) {
                CompletableFuture<Boolean> unused = begin();
            }
        }

        CompletableFuture<Boolean> begin() {
            CompletableFuture<Boolean> result = new CompletableFuture<>();
            CompletableFuture<Boolean> before = underWay.compareAndExchange(null, result);
            if (before != null) {
                if (before.isDone()) {
                    record("the check before this one still hangs");
                }
                return before;
            }
            Duration timeout = target.health().timeout();
            AtomicBoolean ended = new AtomicBoolean();
            Time.Timer late = time.schedule(timeout.toNanos(), () -> {
                if (ended.compareAndSet(false, true)) {
                    record("no answer to a health check within " + DurationText.format(timeout));
                    result.complete(false);
                    abort();
                }
            });
            try {
                threads.execute(() -> run(timeout, ended, result, late));
            } catch (RejectedExecutionException noThread) {
                late.cancel();
                underWay.set(null);
                result.complete(false);
            }
            return result;
        }

        private void run(Duration timeout, AtomicBoolean ended, CompletableFuture<Boolean> result, Time.Timer late) {
            String failure = null;
            boolean tells = false;
            try {
                tells = target.check(timeout);
            } catch (Exception | Error e) {
                failure = Text.words(e);
            }
            late.cancel();
            underWay.set(null);
            if (ended.compareAndSet(false, true)) {
                if (failure != null) {
                    record(failure);
                } else if (tells && !gone) {
                    target.succeeded();
                }
                result.complete(tells);
            }
        }

        /** A driver may hang even in its abort. */
        private void abort() {
            try {
                threads.execute(target::abortCheck);
            } catch (RejectedExecutionException noThread) {
                // The driver's own timeouts end the check later.
                return;
            }
        }

        private void record(String failure) {
            if (!gone) {
                target.failed(failure);
            }
        }
    }
}
