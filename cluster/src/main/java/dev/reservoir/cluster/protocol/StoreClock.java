package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's clock as this process knows it: between two bounds. Every answer says the store's time in whole seconds, and
 * arrived after it was sent; each narrows the bounds. Between answers only time that has passed counts, so that it does not matter
 * how this machine's clock is set, or set anew. If the machine seems to have slept, the bounds are as far apart as it seems, until the
 * store has answered again: it may also be that a clock was set. As long as that clock agrees with all answers, it is believed within
 * 25 ms, since answers alone would take long to become so exact; one that does not agree is not believed at all. Answers that
 * are more exact than that do not narrow it: processes whose clocks agree then also agree on when a slot is due, however long each
 * of them has listened. Guarded by the desk.
 */
public final class StoreClock {
    /** How exact a clock is thought to be that no answer has contradicted. */
    private static final long BELIEVED_NANOS = 25_000_000L;

    /** By how much two clocks drift apart at most. */
    private static final double DRIFT = 1e-4;

    /** Beyond which it is said that this machine's clock is off. */
    private static final long FAR_OFF_NANOS = 5_000_000_000L;

    private static final long SECOND = 1_000_000_000L;

    private final Time time;
    private final @Nullable ElapsedTime elapsed;
    private final InstantSource wallClock;
    private final String cluster;
    private final Logger log;

    /** Bounds of what is to be added to {@link Time#nanos} to get the store's time in nanoseconds since 1970. */
    private long low;

    private long high;
    private long heardNanos;
    private boolean heard;

    /** How long the machine had slept when the store last answered. */
    private long sleptNanos;

    /** The same according to this machine's clock, when it was last looked at. */
    private long wall;

    private boolean saidFarOff;

    public StoreClock(Time time, InstantSource wallClock, String cluster) {
        this(time, wallClock, cluster, LoggerFactory.getLogger(ClusterBudget.class));
    }

    public StoreClock(Time time, InstantSource wallClock, String cluster, Logger log) {
        this.time = time;
        this.elapsed = time instanceof ElapsedTime whole ? whole : null;
        this.wallClock = wallClock;
        this.cluster = cluster;
        this.log = log;
        look(time.nanos());
    }

    private void look(long nowNanos) {
        Instant now = wallClock.instant();
        wall = Math.addExact(Math.multiplyExact(now.getEpochSecond(), SECOND), now.getNano()) - nowNanos;
    }

    /** The store has answered a call that was sent then with the time of its clock, or -1 if it did not say. */
    public void heard(long storeSeconds, long sentNanos, long receivedNanos) {
        if (elapsed != null && elapsed.hasSleptSince(sentNanos)) {
            // It was answered before, or meanwhile, or after: it says nothing.
            return;
        }
        look(receivedNanos);
        if (storeSeconds < 0) {
            return;
        }
        boolean slept = sleptSoFar() != sleptNanos;
        sleptNanos = sleptSoFar();
        long least = storeSeconds * SECOND - receivedNanos;
        long most = (storeSeconds + 1) * SECOND - sentNanos;
        long drift = (long) ((receivedNanos - heardNanos) * DRIFT);
        boolean known = heard && !slept;
        low = known ? Math.max(low - drift, least) : least;
        high = known ? Math.min(high + drift, most) : most;
        if (low > high) {
            // One of the clocks was set anew, or this machine slept: what was heard last counts.
            low = least;
            high = most;
        }
        heard = true;
        heardNanos = receivedNanos;
        sayIfFarOff();
    }

    private void sayIfFarOff() {
        boolean farOff = Math.abs(offNanos()) > FAR_OFF_NANOS;
        if (farOff && !saidFarOff) {
            log.warn(
                    "Reservoir: clock of this machine is off, the store's is used  endpoint={} by=\"{}\" direction={}",
                    cluster,
                    Text.nanos(Math.abs(offNanos())),
                    offNanos() > 0 ? "ahead" : "behind");
        }
        saidFarOff = farOff;
    }

    private long sleptSoFar() {
        return elapsed == null ? 0 : elapsed.sleptNanos();
    }

    /** By how much the bounds are further apart because the machine seems to have slept. */
    private long sleptSinceMicros() {
        return (sleptSoFar() - sleptNanos) / 1_000;
    }

    /** Whether the store's time is known: it has answered, and the machine has not slept since. */
    public boolean isKnown() {
        return heard && sleptSoFar() == sleptNanos;
    }

    /** By how much this machine's clock is ahead of the store's, at least; negative if it is behind; 0 if they agree. */
    public long offNanos() {
        if (!heard) {
            return 0;
        }
        return wall > high ? wall - high : Math.min(0, wall - low);
    }

    /** What the store's clock says at least, in microseconds since 1970. */
    public long leastMicros() {
        long offset = !heard ? wall : isBelieved() ? wall - BELIEVED_NANOS : low;
        return (time.nanos() + offset) / 1_000 - sleptSinceMicros();
    }

    /** The same if the machine has slept as it seems: what is over by then may not be used, what is due then is not due yet. */
    public long leastIfSleptMicros() {
        return leastMicros() + sleptSinceMicros();
    }

    /** What the store's clock says at most. */
    public long mostMicros() {
        long offset = !heard ? wall : isBelieved() ? wall + BELIEVED_NANOS : high;
        return (time.nanos() + offset) / 1_000;
    }

    /** What it says about now, in milliseconds since 1970. */
    public long millis() {
        return (leastMicros() + mostMicros()) / 2_000;
    }

    private boolean isBelieved() {
        return offNanos() == 0;
    }
}
