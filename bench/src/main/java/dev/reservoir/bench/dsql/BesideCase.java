package dev.reservoir.bench.dsql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.dsql.Emulated.Counted;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.emulator.Limits;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/**
 * One pool on an emulated cluster with a real PostgreSQL server. First the pool fills while 60 callers request a
 * connection each at the same moment. Then it is under a steady load for two lifetimes. Then half of its connections
 * are dropped, five times. Everything is scaled so that a minute stands for the hour after which DSQL closes a
 * connection.
 *
 * <p>HikariCP is set up in proportion to AWS's samples: its minimum of idle connections is a quarter of the pool, and
 * its lifetime is 55 of 60 seconds. It uses the driver for the URLs of AWS's connector, which signs a token for every
 * connect as the connector does.
 */
record BesideCase(PoolKind kind, Results results, Emulated database) {
    private static final int SIZE = 60;
    private static final Limits LIMITS = Emulated.limits(20, 40, 200, Duration.ofSeconds(60));
    private static final Duration LIFETIME_MAX = Duration.ofSeconds(55);
    private static final double REQUESTS_PER_SECOND = 100;
    private static final long WORK_MILLIS = 200;
    private static final int THREADS = 250;
    private static final Duration WARM_UP = Duration.ofSeconds(4);
    private static final Duration EXPIRY = LIFETIME_MAX.multipliedBy(2);
    private static final Duration BEFORE_DROP = Duration.ofSeconds(1);
    private static final Duration RECOVERY = Duration.ofSeconds(10);
    private static final int DROPS = 5;

    /** Longest wait for answers. It is longer than any pool makes a caller wait. */
    private static final long ANSWERED_WITHIN_SECONDS = 60;

    private static final String SETTING = "pool 60, 20/s burst 40, age 60 s";

    static void run(PoolKind kind, Results results) throws Exception {
        if (kind != PoolKind.RESERVOIR && kind != PoolKind.HIKARICP) {
            throw new IllegalArgumentException("--pool = " + kind.id() + ", allowed: reservoir, hikaricp");
        }
        try (Emulated database = Emulated.start("embedded", "512m", LIMITS)) {
            new BesideCase(kind, results, database).run();
        }
    }

    private void run() throws Exception {
        DataSource small = open("small", 2);
        Accounts.make(small);
        // Loads classes and compiles some code. Afterwards the bucket fills up again.
        for (int i = 0; i < 300; i++) {
            request(small, i, 0);
        }
        ((AutoCloseable) small).close();
        Thread.sleep(WARM_UP.toMillis());

        DataSource pool = fill();
        try (Requests requests = new Requests(
                REQUESTS_PER_SECOND, THREADS, number -> request(pool, (int) (number % Accounts.ROWS), WORK_MILLIS))) {
            Thread.sleep(WARM_UP.toMillis());
            expiry(requests);
            drop(requests);
        }
    }

    private DataSource open(String name, int size) {
        if (kind == PoolKind.RESERVOIR) {
            return database.access()
                    .builder()
                    .name(name)
                    .maxOpen(size)
                    .connectionRateLimit(LIMITS.ratePerSecond())
                    .connectionBurstLimit(LIMITS.burst())
                    .reservoir(reservoir -> reservoir
                            .initialFillTimeout(Duration.ZERO)
                            .baseLifetime(LIFETIME_MAX.minusSeconds(5))
                            .lifetimeJitter(Duration.ofSeconds(10))
                            .guardWindow(Duration.ofSeconds(4))
                            .serverAgeLimit(LIMITS.maxAge(), Duration.ofSeconds(5)))
                    .build();
        }
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setJdbcUrl(database.access().awsUrl());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(Math.max(1, size / 4));
        config.setMaxLifetime(LIFETIME_MAX.toMillis());
        return new HikariDataSource(config);
    }

    private static void request(DataSource pool, int id, long workMillis) throws SQLException, InterruptedException {
        try (Connection connection = pool.getConnection()) {
            // Both pools reset it and roll back uncommitted work.
            connection.setAutoCommit(false);
            Accounts.addOne(connection, id, workMillis);
            connection.commit();
        }
    }

    /** There are as many callers as connections, so the pool is full when each caller has one. */
    private DataSource fill() throws IOException, InterruptedException {
        Counted before = database.counted();
        long began = System.nanoTime();
        DataSource pool = open("measured", SIZE);
        CountDownLatch served = new CountDownLatch(SIZE);
        CountDownLatch givenBack = new CountDownLatch(SIZE);
        CountDownLatch end = new CountDownLatch(1);
        LongAdder failed = new LongAdder();
        for (int i = 0; i < SIZE; i++) {
            Daemons.start("caller", () -> {
                try (Connection connection = pool.getConnection()) {
                    if (!connection.isClosed()) {
                        served.countDown();
                    }
                    end.await();
                } catch (SQLException e) {
                    failed.increment();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    givenBack.countDown();
                }
            });
        }
        boolean full = served.await(ANSWERED_WITHIN_SECONDS, TimeUnit.SECONDS);
        double nanos = full ? System.nanoTime() - began : Double.POSITIVE_INFINITY;
        end.countDown();
        givenBack.await(ANSWERED_WITHIN_SECONDS, TimeUnit.SECONDS);
        results.sheet("dsql fill", SETTING, kind)
                .lower("time to full", Unit.NANOS, nanos)
                .lower("refused", Unit.COUNT, database.counted().refused() - before.refused())
                .lower("failed callers", Unit.COUNT, failed.sum());
        return pool;
    }

    private void expiry(Requests requests) throws IOException, InterruptedException {
        Counted before = database.counted();
        long began = System.nanoTime();
        Requests.Phase phase = requests.begin();
        Thread.sleep(EXPIRY.toMillis());
        requests.begin();
        Counted after = database.counted();
        double hours = (System.nanoTime() - began) / 3.6e12;
        long unanswered = phase.await(ANSWERED_WITHIN_SECONDS);
        results.sheet("dsql expiry", SETTING + ", 100 requests/s of 200 ms", kind)
                .higher("requests", Unit.COUNT, phase.latency.count())
                .lower("request p50", Unit.NANOS, phase.latency.quantileNanos(0.5))
                .lower("request p99.9", Unit.NANOS, phase.latency.quantileNanos(0.999))
                .lower("longest request", Unit.NANOS, phase.latency.longestNanos())
                .lower("failed requests", Unit.COUNT, phase.failed.sum() + unanswered)
                .lower("refused", Unit.COUNT, after.refused() - before.refused())
                .lower("cut off for age", Unit.COUNT, after.agedOut() - before.agedOut())
                .lower("connects an hour", Unit.COUNT, (after.accepted() - before.accepted()) / hours);
        printFirstFailure(phase);
    }

    private void drop(Requests requests) throws IOException, InterruptedException {
        Counted before = database.counted();
        LatencyHistogram latency = new LatencyHistogram();
        int dropped = 0;
        long failed = 0;
        long failedLater = 0;
        for (int i = 0; i < DROPS; i++) {
            Requests.Phase phase = requests.begin();
            // The requests that run during the drop must count in this phase.
            Thread.sleep(BEFORE_DROP.toMillis());
            dropped += database.drop(0.5);
            phase.markNanos = System.nanoTime();
            Thread.sleep(RECOVERY.toMillis());
            requests.begin();
            failed += phase.await(ANSWERED_WITHIN_SECONDS) + phase.failed.sum();
            failedLater += phase.failedLater.sum();
            latency.add(phase.latency);
            printFirstFailure(phase);
        }
        Counted after = database.counted();
        results.sheet("dsql drop", SETTING + ", half dropped, five times", kind)
                .lower("dropped", Unit.COUNT, dropped)
                .lower("request p99.9", Unit.NANOS, latency.quantileNanos(0.999))
                .lower("longest request", Unit.NANOS, latency.longestNanos())
                .lower("failed requests", Unit.COUNT, failed)
                .lower("failed, begun after the drop", Unit.COUNT, failedLater)
                .lower("refused", Unit.COUNT, after.refused() - before.refused())
                .lower("connects for it", Unit.COUNT, after.accepted() - before.accepted());
    }

    private void printFirstFailure(Requests.Phase phase) {
        Exception first = phase.firstFailure;
        if (first != null) {
            System.out.println(kind.title() + ": the first failure was " + first);
        }
    }
}
