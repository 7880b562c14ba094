package dev.reservoir.core;

import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Collects what a reservoir needs. Only the connector is required.
 *
 * @param <T> the connection
 */
public final class ReservoirBuilder<T> {
    final Connector<T> connector;
    String name = "reservoir";
    Targets targets = Targets.of(10);
    Settings settings = Settings.defaults();
    private @Nullable Permits permits;
    private double ratePerSecond = Double.POSITIVE_INFINITY;
    private int burst = 1;

    @Nullable
    Leases leases;

    @Nullable
    Time time;

    RandomGenerator random = new SplittableRandom();

    @Nullable
    Executor callbacks;

    @Nullable
    Executor events;

    ThreadFactory threadFactory = Thread::new;
    final List<Listener<T>> listeners = new ArrayList<>();

    ReservoirBuilder(Connector<T> connector) {
        this.connector = connector;
    }

    /** Names it in messages, logs and threads. */
    public ReservoirBuilder<T> name(String value) {
        name = value;
        return this;
    }

    /** How many connections it holds. */
    public ReservoirBuilder<T> targets(Targets value) {
        targets = value;
        return this;
    }

    /** How it behaves. */
    public ReservoirBuilder<T> settings(Settings value) {
        settings = value;
        return this;
    }

    /** Where permits come from. Default: no limit. */
    public ReservoirBuilder<T> permits(Permits value) {
        permits = value;
        return this;
    }

    /** Permits of this reservoir's own: a token bucket. */
    public ReservoirBuilder<T> rate(double perSecond, int burstMost) {
        ratePerSecond = perSecond;
        burst = burstMost;
        return this;
    }

    /** Where leases come from. Default: none are needed. */
    public ReservoirBuilder<T> leases(@Nullable Leases value) {
        leases = value;
        return this;
    }

    /** Another time than the machine's. It is not closed with the reservoir. */
    public ReservoirBuilder<T> time(Time value) {
        time = value;
        return this;
    }

    /** Another source of randomness, for jitter. Used by one thread at a time. */
    public ReservoirBuilder<T> random(RandomGenerator value) {
        random = value;
        return this;
    }

    /**
     * Where the futures of {@link Reservoir} are completed, and so whatever hangs on them is run. Default: threads of the
     * reservoir's own. Must not run tasks on the thread that hands them over, which may be that of a caller who releases a
     * connection.
     */
    public ReservoirBuilder<T> callbacks(Executor value) {
        callbacks = value;
        return this;
    }

    /**
     * Where listeners are called and lines are logged. Default: a thread of the reservoir's own; with a {@link #time} of the
     * caller's, the thread on which the event happens. A task that it refuses is dropped and counted.
     */
    public ReservoirBuilder<T> events(Executor value) {
        events = value;
        return this;
    }

    /** Makes the reservoir's own threads, which get their names and become daemons afterwards. Default: plain threads. */
    public ReservoirBuilder<T> threadFactory(ThreadFactory value) {
        threadFactory = value;
        return this;
    }

    /** Adds one that hears every event. */
    public ReservoirBuilder<T> listener(Listener<T> value) {
        listeners.add(value);
        return this;
    }

    /** Starts to fill at once, in the background. Does not block. */
    public Reservoir<T> build() {
        return new Reservoir<>(this);
    }

    Permits permitsOn(Time theTime) {
        if (permits != null) {
            return permits;
        }
        return ratePerSecond == Double.POSITIVE_INFINITY
                ? LocalPermits.unlimited()
                : new LocalPermits(ratePerSecond, burst, theTime);
    }
}
