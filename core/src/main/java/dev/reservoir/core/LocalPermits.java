package dev.reservoir.core;

import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Checks;
import dev.reservoir.core.util.Text;
import dev.reservoir.core.util.TokenBucket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Issues the permits of one process from a token bucket with a rate and a burst. It serves requests in order, urgent
 * ones first. Several reservoirs can share one object and then stay inside the rate together. No method blocks.
 *
 * <p>A server with a bucket of the same size counts a connect when it arrives, which is later than the grant of its
 * permit. As long as the server's bucket is full, the server adds no tokens to it, and those tokens are lost for good.
 * This bucket must not count on them either. Permits on the way to the server therefore take up room in this bucket
 * until the server answers.
 *
 * <p>If the burst is small for the rate, permits on the way take up hardly any room; otherwise the duration of a
 * handshake would limit the rate. If the server's bucket is equally small, choose a rate below the server's.
 */
public final class LocalPermits implements Permits {
    private static final Permit UNLIMITED_PERMIT = () -> {};

    /**
     * Longest time, in seconds, that a permit takes up room in the bucket. A connect that takes longer is assumed to
     * hang.
     */
    private static final double ON_ITS_WAY_SECONDS_MAX = 1;

    /**
     * Largest part of the bucket that permits on the way take up while the rate is fully used. One permit always keeps
     * its room.
     */
    private static final double TAKEN_UP_MAX = 0.9;

    private final double ratePerSecond;
    private final int burst;

    /** How long a permit without an answer takes up room in the bucket. */
    private final long onItsWayNanos;

    private final Time time;

    /** Guards the fields below. The holder of the lock completes no future and calls no foreign code. */
    private final ReentrantLock lock = new ReentrantLock();

    private final ArrayDeque<Request> urgent = new ArrayDeque<>();
    private final ArrayDeque<Request> normal = new ArrayDeque<>();
    private final ArrayDeque<Granted> onTheirWay = new ArrayDeque<>();
    private final TokenBucket bucket;
    private Time.@Nullable Timer timer;

    /**
     * Starts with a full bucket.
     *
     * @param ratePerSecond permits per second, more than 0
     * @param burst how many permits are available at once after a quiet time, at least 1
     */
    public LocalPermits(double ratePerSecond, int burst, Time time) {
        if (!(ratePerSecond > 0) || Double.isInfinite(ratePerSecond)) {
            throw new SettingException("connectionRateLimit", ratePerSecond, "more than 0");
        }
        this.ratePerSecond = ratePerSecond;
        this.burst = Checks.between("connectionBurstLimit", burst, 1, Integer.MAX_VALUE);
        this.time = time;
        this.bucket = new TokenBucket(ratePerSecond, burst, time.nanos());
        // Even if every connect hangs, there is room left for one permit at a time, so the rate is still reached.
        this.onItsWayNanos =
                (long) (1e9 * Math.min(ON_ITS_WAY_SECONDS_MAX, TAKEN_UP_MAX * (burst - 1) / ratePerSecond));
    }

    /** Permits without a limit. */
    public static Permits unlimited() {
        return new Unlimited();
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        Request request = new Request();
        lock.lock();
        try {
            (urgency == Urgency.URGENT ? urgent : normal).add(request);
        } finally {
            lock.unlock();
        }
        serve();
        return request;
    }

    @Override
    public double ratePerSecond() {
        return ratePerSecond;
    }

    @Override
    public String describe() {
        lock.lock();
        try {
            refill(time.nanos());
            int before = urgent.size() + normal.size();
            return "connection rate " + Text.perSecond(ratePerSecond) + ", burst " + burst + ", next free permit in "
                    + Text.nanos(bucket.nanosUntil(1 + before));
        } finally {
            lock.unlock();
        }
    }

    private void serve() {
        List<Request> served = new ArrayList<>();
        lock.lock();
        try {
            long now = time.nanos();
            refill(now);
            while (bucket.available(now) >= 1 && !isEmpty()) {
                Request next = urgent.isEmpty() ? normal.remove() : urgent.remove();
                if (!next.isDone() && bucket.tryTake(now)) {
                    next.granted.atNanos = now;
                    onTheirWay.add(next.granted);
                    served.add(next);
                }
            }
            setTimer();
        } finally {
            lock.unlock();
        }
        served.forEach(Request::grant);
    }

    private void refill(long now) {
        while (!onTheirWay.isEmpty() && now - onTheirWay.getFirst().atNanos >= onItsWayNanos) {
            onTheirWay.removeFirst();
        }
        bucket.refill(now, Math.max(0, burst - onTheirWay.size()));
    }

    private void setTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        if (!isEmpty()) {
            // The extra nanosecond prevents rounding from firing the timer too early, which would make it fire
            // repeatedly.
            timer = time.schedule(bucket.nanosUntil(1) + 1, this::serve);
        }
    }

    private boolean isEmpty() {
        return urgent.isEmpty() && normal.isEmpty();
    }

    private void end(Granted granted, boolean used) {
        lock.lock();
        try {
            refill(time.nanos());
            onTheirWay.remove(granted);
            if (!used) {
                bucket.putBack(1);
            }
        } finally {
            lock.unlock();
        }
        serve();
    }

    private void forget(Request request) {
        lock.lock();
        try {
            if (urgent.remove(request) || normal.remove(request)) {
                setTimer();
            }
        } finally {
            lock.unlock();
        }
    }

    private final class Request extends CompletableFuture<Permit> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            forget(this);
            return cancelled;
        }

        private final Granted granted = new Granted();

        void grant() {
            if (!complete(granted)) {
                granted.giveBack();
            }
        }
    }

    /** A granted permit. Each one is a separate object, so that it can be removed by identity. */
    private final class Granted implements Permit {
        private long atNanos;

        @Override
        public void giveBack() {
            end(this, false);
        }

        @Override
        public void answered() {
            end(this, true);
        }
    }

    private static final class Unlimited implements Permits {
        @Override
        public CompletionStage<Permit> acquire(Urgency urgency) {
            return CompletableFuture.completedFuture(UNLIMITED_PERMIT);
        }

        @Override
        public double ratePerSecond() {
            return Double.POSITIVE_INFINITY;
        }

        @Override
        public String describe() {
            return "connection rate unlimited";
        }
    }
}
