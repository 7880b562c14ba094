package dev.reservoir.cli.flight;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A number of queries that threads send as fast as they are answered.
 *
 * @param threads how many threads send queries
 * @param queries how many queries all threads send together
 * @param time how long a query takes on the server
 */
record QueryLoad(int threads, int queries, Duration time) {
    /** Sends one query and reads its result. */
    @FunctionalInterface
    interface Query {
        void run(String sql) throws Exception;
    }

    /**
     * What came of it.
     *
     * @param nanos from the first query to the last answer
     * @param sortedNanos how long each query took, the shortest first
     */
    record Result(long nanos, List<Long> sortedNanos) {
        double perSecond() {
            return sortedNanos.size() * 1e9 / nanos;
        }

        long percentileNanos(double share) {
            int index = (int) Math.ceil(share * sortedNanos.size()) - 1;
            return sortedNanos.get(Math.max(0, index));
        }
    }

    /** Sends all queries. Blocks until they are answered, or one fails. */
    Result run(Query query) throws ExecutionException, InterruptedException {
        String sql = "SELECT 1 /* wait " + time.toMillis() + " ms */";
        long[] times = new long[queries];
        AtomicInteger next = new AtomicInteger();
        CountDownLatch begin = new CountDownLatch(1);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                workers.add(executor.submit(() -> {
                    begin.await();
                    for (int index = next.getAndIncrement(); index < queries; index = next.getAndIncrement()) {
                        long began = System.nanoTime();
                        query.run(sql);
                        times[index] = System.nanoTime() - began;
                    }
                    return null;
                }));
            }
            long began = System.nanoTime();
            begin.countDown();
            for (Future<?> worker : workers) {
                worker.get();
            }
            long took = System.nanoTime() - began;
            Arrays.sort(times);
            return new Result(took, Arrays.stream(times).boxed().toList());
        } finally {
            executor.shutdownNow();
        }
    }
}
