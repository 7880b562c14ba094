package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The store's clock as this process knows it: a lower and an upper bound. Each answer carries the store's time in whole
 * seconds, and it arrived after the store sent it. So each answer narrows the bounds. Between answers only elapsed time
 * counts. It does not matter how this machine's clock is set, or whether someone sets it. Used only on the budget's
 * serial executor.
 *
 * <p>If the machine seems to have slept, the bounds move apart by that time until the store answers again. The cause
 * may also be a clock that was set.
 *
 * <p>As long as this machine's clock agrees with all answers, it is trusted within 25 ms, since answers alone would
 * take long to become so exact. A clock that disagrees is not trusted at all. Answers that are more exact do not narrow
 * the 25 ms. Processes whose clocks agree therefore also agree on when a slot is due, however long each of them has
 * received answers.
 */
public final class StoreClock {
    /** How exact this machine's clock is assumed to be while no answer contradicts it. */
    private static final long TRUSTED_NANOS = 25_000_000L;

    /** How much two clocks drift apart at most. */
    private static final double DRIFT = 1e-4;

    /** A larger difference between this machine's clock and the store's clock is reported. */
    public static final long FAR_OFF_NANOS = 5_000_000_000L;

    private static final long SECOND = 1_000_000_000L;

    private final Time time;
    private final @Nullable ElapsedTime elapsed;
    private final InstantSource wallClock;
    private final ClusterSettings settings;

    /** Bounds of the offset that, added to {@link Time#nanos}, gives the store's time in nanoseconds since 1970. */
    private long low;

    private long high;
    private long answeredNanos;
    private boolean answered;

    /** How long the machine had slept in total when the store last answered. */
    private long sleptNanos;

    /** The same offset by this machine's clock, when it was last read. */
    private long wall;

    private boolean farOffLogged;

    public StoreClock(Time time, InstantSource wallClock, ClusterSettings settings) {
        this.time = time;
        this.elapsed = time instanceof ElapsedTime whole ? whole : null;
        this.wallClock = wallClock;
        this.settings = settings;
        readWallClock(time.nanos());
    }

    private void readWallClock(long nowNanos) {
        wall = ElapsedTime.epochNanos(wallClock) - nowNanos;
    }

    /**
     * Takes over the store's time from an answer.
     *
     * @param storeSeconds the store's time in seconds since 1970, or -1 if the answer does not say
     * @param sentNanos when the call was sent
     * @param receivedNanos when the answer arrived
     */
    public void answered(long storeSeconds, long sentNanos, long receivedNanos) {
        if (elapsed != null && elapsed.hasSleptSince(sentNanos)) {
            // The store may have answered before, during or after the sleep, so the answer says nothing.
            return;
        }
        readWallClock(receivedNanos);
        if (storeSeconds < 0) {
            return;
        }
        boolean slept = sleptSoFar() != sleptNanos;
        sleptNanos = sleptSoFar();
        long min = storeSeconds * SECOND - receivedNanos;
        long max = (storeSeconds + 1) * SECOND - sentNanos;
        long drift = (long) ((receivedNanos - answeredNanos) * DRIFT);
        boolean known = answered && !slept;
        low = known ? Math.max(low - drift, min) : min;
        high = known ? Math.min(high + drift, max) : max;
        if (low > high) {
            // A clock was set, or this machine slept. Only the last answer counts.
            low = min;
            high = max;
        }
        answered = true;
        answeredNanos = receivedNanos;
        logIfFarOff();
    }

    private void logIfFarOff() {
        boolean farOff = Math.abs(offNanos()) > FAR_OFF_NANOS;
        if (farOff && !farOffLogged) {
            BudgetContext.log(settings)
                    .warn(
                            "Reservoir: clock of this machine is off, the store's is used  endpoint={} by=\"{}\" direction={}",
                            settings.cluster(),
                            Text.nanos(Math.abs(offNanos())),
                            offNanos() > 0 ? "ahead" : "behind");
        }
        farOffLogged = farOff;
    }

    private long sleptSoFar() {
        return elapsed == null ? 0 : elapsed.sleptNanos();
    }

    /** How much further the bounds are apart because the machine seems to have slept. */
    private long sleptSinceAnswerMicros() {
        return (sleptSoFar() - sleptNanos) / 1_000;
    }

    /** Whether the store's time is known: the store has answered, and the machine has not slept since. */
    public boolean isKnown() {
        return answered && sleptSoFar() == sleptNanos;
    }

    /** How far this machine's clock is ahead of the store's, at least; negative if it is behind; 0 if they agree. */
    public long offNanos() {
        if (!answered) {
            return 0;
        }
        return wall > high ? wall - high : Math.min(0, wall - low);
    }

    /** The lower bound of the store's time, in microseconds since 1970. */
    public long earliestMicros() {
        long offset = !answered ? wall : isTrusted() ? wall - TRUSTED_NANOS : low;
        return (time.nanos() + offset) / 1_000 - sleptSinceAnswerMicros();
    }

    /**
     * The lower bound of the store's time if the machine really slept as long as it seems. A slot that has expired by
     * this time must not be used. A slot that is due only by this time is not due yet.
     */
    public long earliestIfSleptMicros() {
        return earliestMicros() + sleptSinceAnswerMicros();
    }

    /** The upper bound of the store's time, in microseconds since 1970. */
    public long latestMicros() {
        long offset = !answered ? wall : isTrusted() ? wall + TRUSTED_NANOS : high;
        return (time.nanos() + offset) / 1_000;
    }

    /** The best estimate of the store's time, in milliseconds since 1970. */
    public long millis() {
        return (earliestMicros() + latestMicros()) / 2_000;
    }

    private boolean isTrusted() {
        return offNanos() == 0;
    }
}
