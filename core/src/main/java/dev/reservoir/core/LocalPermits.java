package dev.reservoir.core;

import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Checks;
import dev.reservoir.core.util.Text;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one process: a token bucket of a rate and a burst. Requests are served in order, urgent ones before others. One
 * object can serve several reservoirs, which then stay inside the rate together. No method blocks.
 *
 * <p>A server that counts with a bucket of the same size counts when a connect arrives, which is later than when its permit
 * was granted. What its bucket could not take up meanwhile, because it was still full, it never gives out again; so this one
 * must not count on it either. Hence permits on their way to the server take up room in the bucket until they are answered.
 * A bucket that is small for its rate has hardly any room to give, or the handshake would be a throttle: beside a server's
 * bucket of the same small size, choose a lower rate.
 */
public final class LocalPermits implements Permits {
    private static final Permit UNLIMITED_PERMIT = () -> {};

    /** A connect that takes longer than this is thought to hang. */
    private static final double ON_ITS_WAY_SECONDS_MAX = 1;

    /** How much of the bucket, but for one permit, those on their way take up at most while the rate is made full use of. */
    private static final double TAKEN_UP_MAX = 0.9;

    private final double ratePerSecond;
    private final int burst;

    /** How long a permit is thought to be on its way to the server if no answer comes. */
    private final long onItsWayNanos;

    private final Time time;

    /** Guards the fields below. Nothing is completed or called while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    private final ArrayDeque<Request> urgent = new ArrayDeque<>();
    private final ArrayDeque<Request> normal = new ArrayDeque<>();
    private final ArrayDeque<Granted> onTheirWay = new ArrayDeque<>();
    private double tokens;
    private long countedNanos;
    private Time.@Nullable Timer timer;

    /**
     * A full bucket.
     *
     * @param ratePerSecond how many permits a second, more than 0
     * @param burst how many permits can be had at once after a quiet time, at least 1
     */
    public LocalPermits(double ratePerSecond, int burst, Time time) {
        if (!(ratePerSecond > 0) || Double.isInfinite(ratePerSecond)) {
            throw new IllegalArgumentException("connectionRateLimit is " + ratePerSecond + "; allowed: more than 0");
        }
        this.ratePerSecond = ratePerSecond;
        this.burst = Checks.between("connectionBurstLimit", burst, 1, Integer.MAX_VALUE);
        this.time = time;
        this.tokens = burst;
        // Even if every connect hangs, they leave room for one at a time, so that the rate is reached.
        this.onItsWayNanos =
                (long) (1e9 * Math.min(ON_ITS_WAY_SECONDS_MAX, TAKEN_UP_MAX * (burst - 1) / ratePerSecond));
        this.countedNanos = time.nanos();
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
            count();
            int before = urgent.size() + normal.size();
            long wait = tokens >= 1 + before ? 0 : (long) ((1 + before - tokens) * 1e9 / ratePerSecond);
            return "connection rate " + Text.perSecond(ratePerSecond) + ", burst " + burst + ", next free permit in "
                    + Text.nanos(wait);
        } finally {
            lock.unlock();
        }
    }

    private void serve() {
        List<Request> served = new ArrayList<>();
        lock.lock();
        try {
            count();
            while (tokens >= 1 && !isEmpty()) {
                Request next = urgent.isEmpty() ? normal.remove() : urgent.remove();
                if (!next.isDone()) {
                    tokens--;
                    next.granted.atNanos = countedNanos;
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

    private void count() {
        long now = time.nanos();
        while (!onTheirWay.isEmpty() && now - onTheirWay.getFirst().atNanos >= onItsWayNanos) {
            onTheirWay.removeFirst();
        }
        double room = Math.max(0, burst - onTheirWay.size());
        tokens = Math.max(tokens, Math.min(room, tokens + (now - countedNanos) * ratePerSecond / 1e9));
        countedNanos = now;
    }

    private void setTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        if (!isEmpty()) {
            // One nanosecond more, so that rounding never makes the timer early and busy.
            timer = time.schedule((long) Math.ceil((1 - tokens) * 1e9 / ratePerSecond) + 1, this::serve);
        }
    }

    private boolean isEmpty() {
        return urgent.isEmpty() && normal.isEmpty();
    }

    private void end(Granted granted, boolean used) {
        lock.lock();
        try {
            count();
            onTheirWay.remove(granted);
            if (!used) {
                tokens = Math.min(burst, tokens + 1);
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

    /** A permit that was granted; each is itself alone. */
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
