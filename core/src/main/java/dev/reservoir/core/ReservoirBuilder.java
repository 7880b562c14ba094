package dev.reservoir.core;

import dev.reservoir.core.internal.Engine;
import dev.reservoir.core.internal.EngineThreads;
import dev.reservoir.core.internal.calls.EngineSpi;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.opening.GuardedPermits;
import dev.reservoir.core.internal.recording.FlightRecording;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.EventDispatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Collects the parts of a reservoir. Only the connector is required. No method blocks.
 *
 * @param <T> the connection
 */
public final class ReservoirBuilder<T> {
    /** A JVM that was assembled from a choice of modules may lack the recorder. */
    private static final boolean HAS_FLIGHT_RECORDER =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private final Connector<T> connector;
    private String name = "reservoir";
    private Targets targets = Targets.of(10);
    private Settings settings = Settings.defaults();
    private @Nullable Permits permits;
    private double ratePerSecond = Double.POSITIVE_INFINITY;
    private int burst = 1;

    private @Nullable Leases leases;
    private @Nullable Time time;
    private RandomGenerator random = new SplittableRandom();
    private @Nullable Executor callbacks;
    private @Nullable Executor events;
    private @Nullable ThreadFactory threadFactory;
    private final List<Listener<T>> listeners = new ArrayList<>();

    ReservoirBuilder(Connector<T> connector) {
        this.connector = connector;
    }

    /** Sets the name that messages, logs and threads use. */
    public ReservoirBuilder<T> name(String value) {
        name = value;
        return this;
    }

    /** Sets how many connections the reservoir holds. */
    public ReservoirBuilder<T> targets(Targets value) {
        targets = value;
        return this;
    }

    /** Sets how the reservoir behaves. */
    public ReservoirBuilder<T> settings(Settings value) {
        settings = value;
        return this;
    }

    /** Sets the source of permits. Default: no limit. */
    public ReservoirBuilder<T> permits(Permits value) {
        permits = value;
        return this;
    }

    /** Gives the reservoir its own permits, from a token bucket. A source set with {@code permits} takes precedence. */
    public ReservoirBuilder<T> rate(double perSecond, int burstMax) {
        ratePerSecond = perSecond;
        burst = burstMax;
        return this;
    }

    /** Sets the source of leases. Default: connections need no leases. */
    public ReservoirBuilder<T> leases(@Nullable Leases value) {
        leases = value;
        return this;
    }

    /** Sets a time other than the machine's. Closing the reservoir does not close it. */
    public ReservoirBuilder<T> time(Time value) {
        time = value;
        return this;
    }

    /** Sets the source of random numbers for jitter. One thread at a time uses it. */
    public ReservoirBuilder<T> random(RandomGenerator value) {
        random = value;
        return this;
    }

    /**
     * Sets the executor that completes the futures of {@link Reservoir} and so runs the actions attached to them.
     * Default: threads that all reservoirs of the process share. The executor must not run a task on the thread that
     * submits it, because that may be the thread of a caller that releases a connection.
     */
    public ReservoirBuilder<T> callbacks(Executor value) {
        callbacks = value;
        return this;
    }

    /**
     * Sets the executor that calls listeners and writes log lines. Default: threads that all reservoirs of the process
     * share, or, if the caller sets {@link #time}, the thread on which the event happens. The reservoir counts and
     * drops a task that the executor rejects.
     */
    public ReservoirBuilder<T> events(Executor value) {
        events = value;
        return this;
    }

    /**
     * Gives the reservoir threads of its own, made by this factory. The reservoir names them and makes them daemons
     * afterwards. Default, and with null: threads that all reservoirs of the process share.
     */
    public ReservoirBuilder<T> threadFactory(@Nullable ThreadFactory value) {
        threadFactory = value;
        return this;
    }

    /** Adds a listener that receives every event. */
    public ReservoirBuilder<T> listener(Listener<T> value) {
        listeners.add(value);
        return this;
    }

    /** Builds the reservoir, which begins to fill at once in the background. Does not block. */
    public Reservoir<T> build() {
        EngineThreads threads = new EngineThreads(name, time, callbacks, events, threadFactory);
        try {
            Time engineTime = threads.time();
            EventDispatcher dispatcher = threads.events();
            EngineSpi<T> spi = new EngineSpi<>(
                    connector,
                    new GuardedPermits(permitsOn(engineTime), dispatcher),
                    leases,
                    engineTime,
                    random,
                    new ListenerGuard<>(allListeners(), dispatcher),
                    dispatcher);
            return new Engine<>(name, targets, settings, spi, threads);
        } catch (RuntimeException | Error e) {
            threads.close();
            throw e;
        }
    }

    /** On a time other than the machine's nothing is recorded: the events would have the machine's time. */
    private List<Listener<T>> allListeners() {
        List<Listener<T>> all = new ArrayList<>(listeners);
        if (time == null && HAS_FLIGHT_RECORDER) {
            all.add(new FlightRecording<>(name));
        }
        return all;
    }

    private Permits permitsOn(Time engineTime) {
        if (permits != null) {
            return permits;
        }
        return ratePerSecond == Double.POSITIVE_INFINITY
                ? LocalPermits.unlimited()
                : new LocalPermits(ratePerSecond, burst, engineTime);
    }
}
