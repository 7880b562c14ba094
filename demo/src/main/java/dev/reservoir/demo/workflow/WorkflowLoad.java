package dev.reservoir.demo.workflow;

import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.error.ConditionFailedException;
import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.Retries;
import dev.reservoir.dsql.tx.TransactionMetrics;
import dev.reservoir.dsql.tx.Transactions;
import java.sql.SQLException;
import java.time.Duration;
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
 * arrival, so that a stall shows in full. An arrival that finds too many waiting is rejected and counted. If another
 * service takes a shard over, this service gives the shard up.
 */
public final class WorkflowLoad implements AutoCloseable {
    /** Most workflows that wait for a worker. It bounds the memory while the database stalls. */
    public static final int WAITING_MOST = 10_000;

    private static final Logger log = LoggerFactory.getLogger(WorkflowLoad.class);

    /** Longest latency that the histogram can hold. */
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Longest time for which {@link #close} waits for running workflows. */
    private static final long JOIN_MILLIS = 10_000;

    private final Builder given;
    private final WorkflowStore store;
    private final TransactionMetrics metrics;
    private final Map<Integer, Shard> shards = new ConcurrentHashMap<>();
    private final ArrayBlockingQueue<Long> arrivals = new ArrayBlockingQueue<>(WAITING_MOST);
    private final LongAdder arrived = new LongAdder();
    private final LongAdder started = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAdder events = new LongAdder();
    private final LongAdder turnedAway = new LongAdder();
    private final LongAdder shardsLost = new LongAdder();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final Histogram latency = new ConcurrentHistogram(LONGEST_NANOS, 3);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    private WorkflowLoad(Builder given) {
        this.given = given;
        Transactions transactions = Transactions.on(given.dataSource, given.retries);
        this.metrics = transactions.metrics();
        this.store = new WorkflowStore(transactions, SnowflakeIds.of(NodeIdSource.fixed(given.nodeId)));
    }

    /** Returns a builder for a load on this database. The schema and the shards must exist. */
    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * The counts so far.
     *
     * @param arrived workflows that arrived
     * @param started workflows that were started
     * @param completed workflows that were completed
     * @param events events that were applied to completed workflows
     * @param turnedAway arrivals that were rejected because too many were waiting or no shard was owned
     * @param shardsLost shards that another service took over
     * @param conflicts transaction attempts that failed with a conflict
     * @param retries transaction attempts that were run again
     * @param failures workflows that ended with an error, by error class
     * @param latency time from arrival to completion, in nanoseconds; a copy
     */
    public record Stats(
            long arrived,
            long started,
            long completed,
            long events,
            long turnedAway,
            long shardsLost,
            long conflicts,
            long retries,
            Map<String, Long> failures,
            Histogram latency) {

        /** The number of all failures. */
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
                turnedAway.sum(),
                shardsLost.sum(),
                metrics.conflicts(),
                metrics.retries(),
                byClass,
                latency.copy());
    }

    /** The metrics of the transactions. */
    public TransactionMetrics metrics() {
        return metrics;
    }

    /** The shards that are owned now. */
    public Set<Integer> shards() {
        return new TreeSet<>(shards.keySet());
    }

    /** Takes one more shard over. Blocks for the database. */
    public void take(int shardId) throws SQLException {
        shards.put(shardId, store.acquireShard(shardId, given.service));
    }

    private void start() throws SQLException {
        for (Shard shard : store.acquireShards(Set.copyOf(given.shards), given.service)) {
            shards.put(shard.shardId(), shard);
        }
        run("arrivals", this::arrive);
        for (int i = 0; i < given.workers; i++) {
            SplittableRandom random = new SplittableRandom((given.seed * 1_024 + given.nodeId) * 10_007 + i + 1);
            run("worker-" + i, () -> work(random));
        }
    }

    private void run(String name, Runnable what) {
        Thread thread = new Thread(what, "workflows-" + given.service + "-" + name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Workflows arrive as a Poisson process, so the intervals between them have an exponential distribution. */
    private void arrive() {
        SplittableRandom random = new SplittableRandom((given.seed * 1_024 + given.nodeId) * 10_007);
        long next = System.nanoTime();
        try {
            while (!stopped) {
                next += (long) (-Math.log(1 - random.nextDouble()) / given.perSecond * 1e9);
                long wait = next - System.nanoTime();
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
                arrived.increment();
                if (shards.isEmpty() || !arrivals.offer(next)) {
                    turnedAway.increment();
                }
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
        Shard shard = any(random);
        if (shard == null) {
            turnedAway.increment();
            return;
        }
        UUID runId = new UUID(random.nextLong(), random.nextLong());
        WorkflowKey key = new WorkflowKey(shard.shardId(), given.namespace, "workflow-" + runId);
        try {
            store.start(shard, key, runId);
            started.increment();
            for (int i = 0; i < given.signals; i++) {
                store.signal(key, "event " + i);
            }
            events.add(store.complete(shard, key, runId));
            completed.increment();
            latency.recordValue(Math.min(LONGEST_NANOS, Math.max(0, System.nanoTime() - arrivedNanos)));
        } catch (ConditionFailedException e) {
            failed(e);
            if (shards.remove(shard.shardId(), shard)) {
                shardsLost.increment();
                log.info("Workflows: shard taken over by another  service={} shard={}", given.service, shard.shardId());
            }
        } catch (SQLException | RuntimeException e) {
            if (!stopped) {
                log.debug(
                        "Workflows: failed  service={} workflow={} error=\"{}\"", given.service, key, Text.oneLine(e));
                failed(e);
            }
        }
    }

    private @Nullable Shard any(SplittableRandom random) {
        List<Shard> owned = new ArrayList<>(shards.values());
        return owned.isEmpty() ? null : owned.get(random.nextInt(owned.size()));
    }

    private void failed(Exception e) {
        failures.computeIfAbsent(DsqlErrors.of(e).label(), label -> new LongAdder())
                .increment();
    }

    /**
     * Stops the load. No new workflow begins. Blocks for at most ten seconds until running workflows are done, and
     * then interrupts those that still run.
     */
    @Override
    public void close() {
        stopped = true;
        threads.get(0).interrupt();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
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

    /** Collects the settings of a load. */
    public static final class Builder {
        private final DataSource dataSource;
        private String service = "history";
        private List<Integer> shards = List.of(0);
        private UUID namespace = UUID.randomUUID();
        private double perSecond = 10;
        private int signals = 3;
        private int workers = 4;
        private long seed = 1;
        private int nodeId;
        private Retries retries =
                Retries.builder().deadline(Duration.ofSeconds(30)).build();

        private Builder(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        private Builder(Builder other) {
            dataSource = other.dataSource;
            service = other.service;
            shards = other.shards;
            namespace = other.namespace;
            perSecond = other.perSecond;
            signals = other.signals;
            workers = other.workers;
            seed = other.seed;
            nodeId = other.nodeId;
            retries = other.retries;
        }

        /** Sets the service's name. Default: {@code history}. */
        public Builder service(String value) {
            service = value;
            return this;
        }

        /** Sets the shards that the service takes over at the start, at least one. Default: shard 0. */
        public Builder shards(List<Integer> value) {
            shards = List.copyOf(value);
            return this;
        }

        /** Sets the namespace of the workflows. Default: a new random one. */
        public Builder namespace(UUID value) {
            namespace = value;
            return this;
        }

        /** Sets how many workflows arrive per second, more than 0. Default: 10. */
        public Builder perSecond(double value) {
            perSecond = value;
            return this;
        }

        /** Sets how many events each workflow gets, from 0 to {@value WorkflowStore#EVENTS_MOST}. Default: 3. */
        public Builder signals(int value) {
            signals = value;
            return this;
        }

        /** Sets how many workflows run at the same time, from 1 to 10,000. Default: 4. */
        public Builder workers(int value) {
            workers = value;
            return this;
        }

        /**
         * Sets the seed. Together with the node id it determines the arrivals and the ids of the workflows. Default:
         * 1.
         */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /**
         * Sets the node id for the ids of events, from 0 to {@value NodeIdSource#MOST}. Each service needs a different
         * one. Default: 0.
         */
        public Builder nodeId(int value) {
            nodeId = value;
            return this;
        }

        /** Sets the retry policy of the transactions. Default: Reservoir's default, with a deadline of 30 s. */
        public Builder retries(Retries value) {
            retries = value;
            return this;
        }

        /** Takes the shards over and starts the load. Blocks for the database. */
        public WorkflowLoad start() throws SQLException {
            check(!shards.isEmpty(), "shards", shards, "at least one");
            check(perSecond > 0 && perSecond <= 1e6, "perSecond", perSecond, "more than 0, up to 1000000");
            check(
                    signals >= 0 && signals <= WorkflowStore.EVENTS_MOST,
                    "signals",
                    signals,
                    "0 to " + WorkflowStore.EVENTS_MOST);
            check(workers >= 1 && workers <= 10_000, "workers", workers, "1 to 10000");
            WorkflowLoad load = new WorkflowLoad(new Builder(this));
            load.start();
            return load;
        }

        private static void check(boolean allowed, String key, Object value, String what) {
            if (!allowed) {
                throw new IllegalArgumentException(key + " is " + value + "; allowed: " + what);
            }
        }
    }
}
