package dev.reservoir.demo.workflow;

import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.error.ConditionFailedException;
import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.TransactionMetrics;
import dev.reservoir.dsql.tx.Transactions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The load of one service. It owns shards. At a given rate it starts a workflow, sends events to it and completes it.
 * Runs on threads of its own until {@link #close}.
 *
 * <p>Workflows arrive at times drawn from the seed, whether or not earlier ones are done. Latency counts from the
 * arrival, so that a stall shows in full. An arrival that finds too many waiting, or no shard, is only counted. If
 * another service takes a shard over, this service gives the shard up.
 */
public final class WorkflowLoad implements AutoCloseable {
    /** Most workflows that wait for a worker. It bounds the memory while the database stalls. */
    private static final int WAITING_MAX = 10_000;

    private static final Logger log = LoggerFactory.getLogger(WorkflowLoad.class);

    /** Longest latency that the histogram can hold. */
    private static final long LATENCY_MAX_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Longest time for which {@link #close} waits for running workflows. */
    private static final long CLOSE_TIMEOUT_MILLIS = 10_000;

    private final WorkflowLoadBuilder settings;
    private final WorkflowStore store;
    private final TransactionMetrics metrics;
    private final Map<Integer, Shard> shards = new ConcurrentHashMap<>();
    private final ArrayBlockingQueue<Long> arrivals = new ArrayBlockingQueue<>(WAITING_MAX);
    private final LongAdder arrived = new LongAdder();
    private final LongAdder started = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAdder events = new LongAdder();
    private final LongAdder shardsLost = new LongAdder();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final Histogram latencyNanos = new ConcurrentHistogram(LATENCY_MAX_NANOS, 3);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    WorkflowLoad(WorkflowLoadBuilder settings) {
        this.settings = settings;
        Transactions transactions = Transactions.on(settings.dataSource, settings.retries);
        this.metrics = transactions.metrics();
        this.store = new WorkflowStore(transactions, SnowflakeIds.of(NodeIdSource.fixed(settings.nodeId)));
    }

    /** Returns a builder for a load on this database. The schema and the shards must exist. */
    public static WorkflowLoadBuilder builder(DataSource dataSource) {
        return new WorkflowLoadBuilder(dataSource);
    }

    /**
     * The counts so far.
     *
     * @param arrived workflows that arrived
     * @param started workflows that were started
     * @param completed workflows that were completed
     * @param events events that were applied to completed workflows
     * @param shardsLost shards that another service took over
     * @param failures workflows that ended with an error, by error class
     * @param latencyNanos time from arrival to completion; a copy
     */
    public record Stats(
            long arrived,
            long started,
            long completed,
            long events,
            long shardsLost,
            Map<String, Long> failures,
            Histogram latencyNanos) {

        public long failed() {
            return failures.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /** Returns the counts so far. Does not block. */
    public Stats stats() {
        Map<String, Long> byClass = new TreeMap<>();
        failures.forEach((label, count) -> byClass.put(label, count.sum()));
        return new Stats(
                arrived.sum(),
                started.sum(),
                completed.sum(),
                events.sum(),
                shardsLost.sum(),
                byClass,
                latencyNanos.copy());
    }

    public TransactionMetrics metrics() {
        return metrics;
    }

    public Set<Integer> shards() {
        return new TreeSet<>(shards.keySet());
    }

    /** Takes one more shard over. Blocks for the database. */
    public void take(int shardId) throws SQLException {
        shards.put(shardId, store.acquireShard(shardId, settings.service));
    }

    /** Takes the shards over and starts the threads. Blocks for the database. */
    void start() throws SQLException {
        for (Shard shard : store.acquireShards(Set.copyOf(settings.shards), settings.service)) {
            shards.put(shard.shardId(), shard);
        }
        run("arrivals", this::arrive);
        for (int i = 0; i < settings.workers; i++) {
            SplittableRandom random = new SplittableRandom((settings.seed * 1_024 + settings.nodeId) * 10_007 + i + 1);
            run("worker-" + i, () -> work(random));
        }
    }

    private void run(String name, Runnable what) {
        Thread thread = new Thread(what, "workflows-" + settings.service + "-" + name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Workflows arrive as a Poisson process, so the intervals between them have an exponential distribution. */
    private void arrive() {
        SplittableRandom random = new SplittableRandom((settings.seed * 1_024 + settings.nodeId) * 10_007);
        long next = System.nanoTime();
        try {
            while (!stopped) {
                next += (long) (-Math.log(1 - random.nextDouble()) / settings.perSecond * 1e9);
                long wait = next - System.nanoTime();
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
                arrived.increment();
                // An arrival that finds too many waiting is only counted.
                var unused = arrivals.offer(next);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void work(SplittableRandom random) {
        try {
            while (!stopped) {
                Long arrived = arrivals.poll(100, TimeUnit.MILLISECONDS);
                if (arrived != null) {
                    workflow(random, arrived);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void workflow(SplittableRandom random, long arrivedNanos) {
        Shard shard = randomShard(random);
        if (shard == null) {
            return;
        }
        UUID runId = new UUID(random.nextLong(), random.nextLong());
        WorkflowKey key = new WorkflowKey(shard.shardId(), settings.namespace, "workflow-" + runId);
        try {
            store.start(shard, key, runId);
            started.increment();
            for (int i = 0; i < settings.signals; i++) {
                store.signal(key, "event " + i);
            }
            events.add(store.complete(shard, key, runId));
            completed.increment();
            latencyNanos.recordValue(Math.min(LATENCY_MAX_NANOS, Math.max(0, System.nanoTime() - arrivedNanos)));
        } catch (ConditionFailedException e) {
            failed(e);
            if (shards.remove(shard.shardId(), shard)) {
                shardsLost.increment();
                log.info(
                        "Workflows: shard taken over by another  service={} shard={}",
                        settings.service,
                        shard.shardId());
            }
        } catch (SQLException | RuntimeException e) {
            if (!stopped) {
                log.debug(
                        "Workflows: failed  service={} workflow={} error=\"{}\"",
                        settings.service,
                        key,
                        Text.oneLine(e));
                failed(e);
            }
        }
    }

    private @Nullable Shard randomShard(SplittableRandom random) {
        List<Shard> owned = new ArrayList<>(shards.values());
        return owned.isEmpty() ? null : owned.get(random.nextInt(owned.size()));
    }

    private void failed(Exception e) {
        failures.computeIfAbsent(DsqlErrors.of(e).label(), label -> new LongAdder())
                .increment();
    }

    /**
     * Stops the load. No new workflow begins. Blocks for at most ten seconds until running workflows are done, and then
     * interrupts those that still run.
     */
    @Override
    public void close() {
        stopped = true;
        threads.get(0).interrupt();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MILLIS);
        boolean interrupted = false;
        for (Thread thread : threads) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
            } catch (InterruptedException e) {
                interrupted = true;
            }
            if (thread.isAlive()) {
                thread.interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
