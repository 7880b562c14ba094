package dev.reservoir.flightsql.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.BackgroundThreads;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.core.util.WorkerThreads;
import dev.reservoir.core.util.WorkerThreads.Kind;
import dev.reservoir.flightsql.CallTracer.Span;
import dev.reservoir.flightsql.CallTracer.Step;
import dev.reservoir.flightsql.CallTracer.Trace;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.PoolConfig;
import dev.reservoir.flightsql.QueryOptions;
import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Failures;
import dev.reservoir.flightsql.call.ServerCancel;
import dev.reservoir.flightsql.connect.Endpoint;
import dev.reservoir.flightsql.connect.FlightConnection;
import dev.reservoir.flightsql.connect.FlightConnector;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.memory.BufferAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All parts of a pool, from its start to its end.
 *
 * <p>Threads: a call that blocks runs on its caller's thread. Asynchronous calls and the work after a call run on
 * worker threads that all pools of the process share. Each of them needs a connection first, so a pool takes no more
 * threads than it has connections, however many calls wait.
 */
public final class RunningPool {
    static final String LOGGER = "dev.reservoir.flightsql.FlightSqlPool";

    private static final Logger log = LoggerFactory.getLogger(LOGGER);

    /** Bounds the tasks that may wait for a thread. Each belongs to a connection, so there are never that many. */
    private static final int TASKS_WAITING_MAX = 100_000;

    /** How many futures are completed at once, as in the engine. */
    private static final int CALLBACKS_AT_ONCE = 4;

    /** Bounds the log lines that may wait for a slow appender. */
    private static final int LINES_WAITING_MAX = 10_000;

    private static final long LOOK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration UNLIMITED_LIFETIME = Duration.ofDays(365);

    private final PoolConfig config;
    private final PoolMemory memory;
    private final BackgroundThreads connects;
    private final BackgroundThreads tasks;
    private final BackgroundThreads callbacks;
    private final BackgroundThreads events;
    private final SystemTime time;
    private final Tracing tracing;
    private final StatementCleanup cleanup;
    private final OpenHandles handles;
    private final PoolCounters counters = new PoolCounters();
    private final Reservoir<FlightConnection> reservoir;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private RunningPool(Endpoint endpoint, PoolConfig config) {
        this.config = config;
        String prefix = "reservoir-" + config.name();
        memory = new PoolMemory(config.name(), config.allocator());
        connects = threads(prefix + "-connect-", 2 * config.maxSize() + 2);
        tasks = threads(prefix + "-call-", config.maxSize() + 2);
        callbacks = new BackgroundThreads(
                prefix + "-callback-",
                CALLBACKS_AT_ONCE,
                TASKS_WAITING_MAX,
                WorkerThreads.of(Kind.CALLBACK, prefix, null));
        events = new BackgroundThreads(prefix, 1, LINES_WAITING_MAX, WorkerThreads.of(Kind.EVENTS, prefix, null));
        time = SystemTime.shared();
        tracing = new Tracing(config.tracer(), config.name(), endpoint);
        cleanup = new StatementCleanup(config, counters, time);
        EventDispatcher lines = new EventDispatcher(events, log);
        handles = new OpenHandles(config.name(), config.leakThreshold().toNanos(), lines);
        try {
            reservoir = reservoir(new FlightConnector(endpoint, config, memory, connects), lines);
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
        look();
    }

    private Reservoir<FlightConnection> reservoir(FlightConnector connector, EventDispatcher lines) {
        return Reservoir.builder(connector)
                .name(config.name())
                .targets(new Targets(
                        config.maxSize(), config.minIdle(), Math.min(1, config.minIdle()), config.minIdle()))
                .settings(settings(config))
                .rate(config.connectsPerMinute() / 60.0, 2 * config.maxSize())
                .events(events)
                .listener(new LostConnections())
                .listener(new PoolLog(config.name(), lines))
                .build();
    }

    /** Starts to open connections in the background. Does not block. */
    public static RunningPool start(Endpoint endpoint, PoolConfig config) {
        return new RunningPool(endpoint, config);
    }

    private static BackgroundThreads threads(String name, int max) {
        return new BackgroundThreads(name, max, TASKS_WAITING_MAX, WorkerThreads.of(Kind.WORKER, name, null));
    }

    /** Connections have no natural end, unless the pool has a lifetime for them. */
    private static Settings settings(PoolConfig config) {
        Duration lifetime = config.maxLifetime().isZero() ? UNLIMITED_LIFETIME : config.maxLifetime();
        Duration jitter = config.maxLifetime().isZero() ? Duration.ZERO : lifetime.dividedBy(10);
        return Settings.builder()
                .baseLifetime(lifetime)
                .lifetimeJitter(jitter)
                .guardWindow(Duration.ZERO)
                .idleTimeout(config.idleTtl())
                .connectTimeout(config.connectTimeout())
                .validationTimeout(config.connectTimeout())
                .opensInFlightMax(config.maxSize())
                .successorAllowance(0)
                .failsFast(true)
                .tracksCheckouts(!config.leakThreshold().isZero())
                .build();
    }

    /** Looks at open handles again and again, until the pool is closed. */
    private void look() {
        try {
            handles.look(tasks);
        } finally {
            if (!closing.get()) {
                time.schedule(LOOK_INTERVAL_NANOS, this::look);
            }
        }
    }

    public String name() {
        return config.name();
    }

    public PoolConfig config() {
        return config;
    }

    public Reservoir<FlightConnection> reservoir() {
        return reservoir;
    }

    public PoolCounters counters() {
        return counters;
    }

    /** What the pool has learned of the server's ways to stop a statement. */
    public ServerCancel serverCancel() {
        return cleanup.serverCancel();
    }

    StatementCleanup cleanup() {
        return cleanup;
    }

    Tracing tracing() {
        return tracing;
    }

    OpenHandles handles() {
        return handles;
    }

    public BufferAllocator allocator() {
        return memory.allocator();
    }

    /** How many results and sessions applications hold. */
    public int openHandles() {
        return handles.size();
    }

    /** The deadline of a call that begins now. */
    public Deadline deadline(QueryOptions options) {
        return Deadline.in(options.timeout() == null ? config.defaultQueryTimeout() : options.timeout());
    }

    // Acquire.

    /**
     * Acquires a connection that is not lost. Blocks until the earlier of the acquire timeout and the deadline.
     *
     * @throws dev.reservoir.core.NoConnectionException if there is none by then
     */
    Held acquire(Deadline deadline, Trace trace) {
        Span span = trace.start(Step.ACQUIRE);
        try {
            Held held = acquireUntraced(deadline, trace);
            span.end(null);
            return held;
        } catch (RuntimeException | Error e) {
            span.end(e);
            throw e;
        }
    }

    private Held acquireUntraced(Deadline deadline, Trace trace) {
        long beganNanos = System.nanoTime();
        long waitNanos = deadline.leftNanos(config.acquireTimeout().toNanos());
        while (true) {
            Pooled<FlightConnection> pooled;
            try {
                pooled = reservoir.acquire(Math.max(1, beganNanos + waitNanos - System.nanoTime()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new FlightSqlException(
                        FlightSqlException.Kind.CANCELLED,
                        null,
                        name() + ": interrupted while waiting for a connection",
                        e);
            }
            if (!pooled.connection().isLost()) {
                return new Held(this, pooled, trace);
            }
            reservoir.discard(pooled, DiscardReason.BAD);
        }
    }

    /** Does the same without blocking. To cancel the future is to leave the wait queue. */
    CompletableFuture<Pooled<FlightConnection>> acquireAsync(Deadline deadline) {
        return reservoir.acquireAsync(deadline.leftNanos(config.acquireTimeout().toNanos()));
    }

    // After a call.

    FlightSqlException judge(Throwable error, FlightConnection connection, Deadline deadline) {
        return Failures.of(name(), error, connection, deadline);
    }

    /** Runs the task on a worker thread, or the other one here if the pool has no thread to offer. */
    void inBackground(Runnable task, Runnable instead) {
        try {
            tasks.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            instead.run();
        }
    }

    /** Runs code of the application: it completes a future. It may block, so it takes no thread of a call. */
    void inCallback(Runnable task) {
        try {
            callbacks.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            task.run();
        }
    }

    // End.

    /** Hands out nothing more, waits until the timeout for connections in use, and ends the rest. Does not block. */
    public CompletableFuture<Void> closeAsync(Duration drain) {
        if (closing.compareAndSet(false, true)) {
            CompletionStage<Void> closed = reservoir.closeAsync(drain);
            closed.whenComplete((nothing, error) -> {
                try {
                    end();
                    ended.complete(null);
                } catch (RuntimeException e) {
                    ended.completeExceptionally(e);
                }
            });
        }
        return ended.copy();
    }

    /** Lets go of all threads and of the memory. */
    private void end() {
        connects.close();
        tasks.close();
        callbacks.close();
        time.close();
        events.close();
        memory.release();
    }

    /** Takes connections whose TCP connection has ended out of the pool, also while nobody uses them. */
    private final class LostConnections implements Listener<FlightConnection> {
        @Override
        public boolean neverBlocks() {
            return true;
        }

        @Override
        public void opened(Pooled<FlightConnection> pooled, long openNanos) {
            pooled.connection().watch(() -> {
                if (!closing.get()) {
                    reservoir.evict(pooled);
                }
            });
        }
    }
}
