package dev.reservoir.core.internal;

import dev.reservoir.core.internal.calls.Callbacks;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.BackgroundThreads;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.core.util.WorkerThreads;
import dev.reservoir.core.util.WorkerThreads.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time, the callbacks and the events of one engine. Those of them that the builder does not supply run on threads
 * that all engines of the process share, or on threads of its own if the builder supplies a thread factory. Never
 * blocks.
 */
public final class EngineThreads {
    private static final Logger log = LoggerFactory.getLogger(EventDispatcher.class);

    /**
     * Bounds the events that wait for the listeners. A healthy listener never has nearly as many before it, and they
     * take little memory.
     */
    private static final int EVENTS_WAITING_MAX = 10_000;

    /**
     * How many threads complete futures at once. If an application blocks one of them in an action attached to a
     * future, the others still complete their futures.
     */
    private static final int CALLBACK_THREADS = 4;

    private final Time time;
    private final Callbacks callbacks;
    private final EventDispatcher events;

    /** Each lets go of one kind of threads. */
    private final List<Runnable> closers = new ArrayList<>();

    /**
     * Starts the threads that must exist before they are needed, unless they run already: the one of the time, and the
     * spare one. If the system provides no thread, leaves none behind.
     *
     * @param givenTime a time other than the machine's, or null
     * @param givenCallbacks completes the futures of callers, or null
     * @param givenEvents calls listeners and writes log lines, or null
     * @param factory creates threads for this engine alone; null if it shares those of the process
     */
    public EngineThreads(
            String name,
            @Nullable Time givenTime,
            @Nullable Executor givenCallbacks,
            @Nullable Executor givenEvents,
            @Nullable ThreadFactory factory) {
        String prefix = "reservoir-" + name;
        try {
            // If the builder supplies both the callbacks and the time, no thread could fail, so none needs a spare.
            boolean needsSpare = givenCallbacks == null || givenTime == null;
            if (needsSpare) {
                WorkerThreads spare = WorkerThreads.of(Kind.SPARE, prefix, null);
                closers.add(spare::close);
            }
            time = givenTime != null ? givenTime : systemTime(prefix + "-loop", factory);
            callbacks = new Callbacks(
                    givenCallbacks != null
                            ? givenCallbacks
                            : keep(new BackgroundThreads(
                                    prefix + "-callback-",
                                    CALLBACK_THREADS,
                                    Integer.MAX_VALUE,
                                    WorkerThreads.of(Kind.CALLBACK, prefix, factory))),
                    needsSpare ? WorkerThreads::executeOnSpare : time::execute,
                    time);
            if (givenEvents != null) {
                events = new EventDispatcher(givenEvents, log);
            } else if (givenTime != null) {
                events = new EventDispatcher(Runnable::run, log);
            } else {
                events = new EventDispatcher(
                        keep(new BackgroundThreads(
                                prefix, 1, EVENTS_WAITING_MAX, WorkerThreads.of(Kind.EVENTS, prefix, factory))),
                        log);
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private Time systemTime(String threadName, @Nullable ThreadFactory factory) {
        SystemTime system = factory == null ? SystemTime.shared() : new SystemTime(threadName, factory);
        closers.add(system::close);
        return system;
    }

    private Executor keep(BackgroundThreads threads) {
        closers.add(threads::close);
        return threads;
    }

    public Time time() {
        return time;
    }

    public Callbacks callbacks() {
        return callbacks;
    }

    public EventDispatcher events() {
        return events;
    }

    /** Tasks that are already queued still run. Threads that no other engine uses end after them. */
    public void end() {
        callbacks.end();
        close();
    }

    /** Lets go of the threads of an engine that could not be built. */
    public void close() {
        closers.forEach(Runnable::run);
    }
}
