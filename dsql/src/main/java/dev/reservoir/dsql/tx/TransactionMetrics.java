package dev.reservoir.dsql.tx;

import dev.reservoir.core.Durations;
import dev.reservoir.core.util.Histogram;
import dev.reservoir.dsql.error.DsqlError;
import dev.reservoir.dsql.error.ErrorKind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Counts the outcomes of transactions by operation. Several {@link Retries} may share one object. It distinguishes at
 * most {@value #OPERATIONS_MAX} operations and counts all others as {@value #OTHERS}. So operation names that contain
 * data cannot fill the memory. No method blocks.
 */
public final class TransactionMetrics {
    /** Most operations that are counted separately. It bounds the memory if names contain data. */
    public static final int OPERATIONS_MAX = 1_000;

    /** The name under which all further operations are counted. */
    public static final String OTHERS = "other";

    private final ConcurrentHashMap<String, Counts> byOperation = new ConcurrentHashMap<>();
    private final AtomicInteger operations = new AtomicInteger();
    private final TransactionListener listener = new Counting();

    /** Creates metrics with all counts at zero. */
    public TransactionMetrics() {}

    /**
     * The counts of one operation since the start.
     *
     * @param committed transactions that were committed
     * @param failed transactions that ended with an error
     * @param conflicts attempts that failed with a conflict or a changed schema
     * @param retries attempts that were run again
     * @param exhausted transactions that ran out of retries or would have exceeded their deadline
     * @param indeterminate commits with an unknown outcome
     * @param latency durations of transactions, pauses included
     */
    public record Stats(
            long committed,
            long failed,
            long conflicts,
            long retries,
            long exhausted,
            long indeterminate,
            Durations latency) {}

    /** Returns the counts of this operation, or zeros if it has not run. Does not block. */
    public Stats stats(String operation) {
        Counts counts = byOperation.get(operation);
        return counts == null ? new Counts().stats() : counts.stats();
    }

    /** Returns the attempts of all operations that failed with a conflict or a changed schema. Does not block. */
    public long conflicts() {
        return sum(counts -> counts.conflicts);
    }

    /** Returns the attempts of all operations that were run again. Does not block. */
    public long retries() {
        return sum(counts -> counts.retries);
    }

    /** Returns the transactions that ran out of retries or would have exceeded their deadline. Does not block. */
    public long exhausted() {
        return sum(counts -> counts.exhausted);
    }

    private long sum(Function<Counts, LongAdder> which) {
        return byOperation.values().stream()
                .mapToLong(counts -> which.apply(counts).sum())
                .sum();
    }

    /**
     * Returns all values, each under its metric name with labels in Prometheus syntax. Values whose names end in
     * {@code _total}, {@code _count} or {@code _sum} only grow. Does not block.
     */
    public Map<String, Double> asMetrics() {
        Map<String, Double> all = new LinkedHashMap<>();
        new TreeMap<>(byOperation).forEach((operation, counts) -> counts.addTo(all, operation));
        return all;
    }

    /** The listener that does the counting. */
    TransactionListener listener() {
        return listener;
    }

    private Counts of(String operation) {
        Counts known = byOperation.get(operation);
        if (known != null) {
            return known;
        }
        boolean room = operations.get() < OPERATIONS_MAX;
        return byOperation.computeIfAbsent(room ? operation : OTHERS, name -> {
            operations.incrementAndGet();
            return new Counts();
        });
    }

    /** Counts what it hears, by operation. */
    private final class Counting implements TransactionListener {
        @Override
        public void failed(String operation, int attempt, DsqlError error, Throwable cause) {
            Counts counts = of(operation);
            counts.errors
                    .computeIfAbsent(error.label(), label -> new LongAdder())
                    .increment();
            if (error.kind() == ErrorKind.CONFLICT || error.kind() == ErrorKind.SCHEMA_CHANGED) {
                counts.conflicts.increment();
            }
            if (cause instanceof IndeterminateCommitException) {
                counts.indeterminate.increment();
            }
        }

        @Override
        public void retrying(String operation, int attempt, long backoffNanos) {
            Counts counts = of(operation);
            counts.retries.increment();
            counts.retriesByAttempt
                    .computeIfAbsent(attempt, number -> new LongAdder())
                    .increment();
            counts.backoffNanos.add(backoffNanos);
            counts.backoffMaxNanos.accumulate(backoffNanos);
        }

        @Override
        public void exhausted(String operation, int attempts) {
            of(operation).exhausted.increment();
        }

        @Override
        public void ended(String operation, boolean committed, long elapsedNanos) {
            Counts counts = of(operation);
            (committed ? counts.committed : counts.failed).increment();
            counts.latency.record(elapsedNanos);
        }
    }

    /** The counts of one operation. */
    private static final class Counts {
        final LongAdder committed = new LongAdder();
        final LongAdder failed = new LongAdder();
        final LongAdder conflicts = new LongAdder();
        final LongAdder retries = new LongAdder();
        final LongAdder exhausted = new LongAdder();
        final LongAdder indeterminate = new LongAdder();
        final LongAdder backoffNanos = new LongAdder();
        final LongAccumulator backoffMaxNanos = new LongAccumulator(Math::max, 0);
        final ConcurrentHashMap<Integer, LongAdder> retriesByAttempt = new ConcurrentHashMap<>();
        final ConcurrentHashMap<String, LongAdder> errors = new ConcurrentHashMap<>();
        final Histogram latency = new Histogram();

        Stats stats() {
            return new Stats(
                    committed.sum(),
                    failed.sum(),
                    conflicts.sum(),
                    retries.sum(),
                    exhausted.sum(),
                    indeterminate.sum(),
                    latency.snapshot());
        }

        void addTo(Map<String, Double> all, String operation) {
            String label = "operation=\"" + escaped(operation) + "\"";
            all.put("dsql_tx_conflict_total{" + label + "}", (double) conflicts.sum());
            new TreeMap<>(retriesByAttempt)
                    .forEach((attempt, count) -> all.put(
                            "dsql_tx_retry_total{" + label + ",attempt=\"" + attempt + "\"}", (double) count.sum()));
            all.put("dsql_tx_exhausted_total{" + label + "}", (double) exhausted.sum());
            all.put("dsql_tx_indeterminate_total{" + label + "}", (double) indeterminate.sum());
            new TreeMap<>(errors)
                    .forEach((kind, count) ->
                            all.put("dsql_tx_error_class_total{" + label + ",error_class=\"" + kind + "\"}", (double)
                                    count.sum()));
            all.put("dsql_tx_backoff_milliseconds_count{" + label + "}", (double) retries.sum());
            all.put("dsql_tx_backoff_milliseconds_sum{" + label + "}", backoffNanos.sum() / 1e6);
            all.put("dsql_tx_backoff_milliseconds_max{" + label + "}", backoffMaxNanos.get() / 1e6);
            all.put("dsql_tx_total{" + label + ",outcome=\"committed\"}", (double) committed.sum());
            all.put("dsql_tx_total{" + label + ",outcome=\"failed\"}", (double) failed.sum());
            Durations took = latency.snapshot();
            String name = "dsql_tx_latency_milliseconds";
            all.put(name + "{" + label + ",quantile=\"0.5\"}", took.p50Nanos() / 1e6);
            all.put(name + "{" + label + ",quantile=\"0.99\"}", took.p99Nanos() / 1e6);
            all.put(name + "{" + label + ",quantile=\"0.999\"}", took.p999Nanos() / 1e6);
            all.put(name + "_count{" + label + "}", (double) took.count());
            all.put(name + "_sum{" + label + "}", took.sumNanos() / 1e6);
            all.put(name + "_max{" + label + "}", took.maxNanos() / 1e6);
        }

        private static String escaped(String text) {
            return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        }
    }
}
