package dev.reservoir.cli;

import dev.reservoir.core.Stats;
import dev.reservoir.core.Text;
import dev.reservoir.jdbc.ReservoirDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A reservoir that fills, serves and expires on an embedded PostgreSQL, live in the terminal. */
final class Demo {
    private static final int CONNECTIONS = 40;
    private static final int RATE = 20;
    private static final int BURST = 5;
    private static final int WORKERS = 12;
    private static final Duration LIFETIME = Duration.ofSeconds(9);
    private static final Duration JITTER = Duration.ofSeconds(2);
    private static final Duration GUARD = Duration.ofSeconds(1);

    private final Options options;
    private final PrintStream out;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final LongAdder queries = new LongAdder();
    private final LongAdder errors = new LongAdder();

    Demo(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /**
     * What the command line asks for.
     *
     * @param length how long the demo runs
     * @param plain whether to print lines instead of a picture
     */
    record Options(Duration length, boolean plain) {}

    int run() throws Exception {
        Thread hook = new Thread(this::stopAndWait, "demo-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            out.println("Starting an embedded PostgreSQL ...");
            try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                            .setServerConfig("max_connections", "100")
                            .start();
                    ReservoirDataSource dataSource = reservoir(postgres.getJdbcUrl("postgres", "postgres"))) {
                return serve(dataSource);
            }
        } finally {
            ended.countDown();
            removeHook(hook);
        }
    }

    private final CountDownLatch ended = new CountDownLatch(1);

    /** Lets Ctrl-C end the demo in order, so that no server and no folder stays behind. */
    private void stopAndWait() {
        stopped.countDown();
        try {
            if (!ended.await(15, TimeUnit.SECONDS)) {
                out.println("The demo did not end in time.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // Nothing to remove any more.
        }
    }

    private static ReservoirDataSource reservoir(String url) {
        return ReservoirDataSource.builder()
                .name("demo")
                .url(url)
                .maxOpen(CONNECTIONS)
                .baseLifetime(LIFETIME)
                .lifetimeJitter(JITTER)
                .guardWindow(GUARD)
                .connectionRateLimit(RATE)
                .connectionBurstLimit(BURST)
                .initialFillTimeout(Duration.ZERO)
                .build();
    }

    private int serve(ReservoirDataSource dataSource) throws InterruptedException {
        out.printf(
                "A reservoir of %d connections: %d new ones a second at most, each lives %d to %d s. %d threads query it.%n",
                CONNECTIONS,
                RATE,
                LIFETIME.minus(JITTER.dividedBy(2)).toSeconds(),
                LIFETIME.plus(JITTER.dividedBy(2)).toSeconds(),
                WORKERS);
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        Screen screen = new Screen(out, options.plain(), CONNECTIONS, RATE);
        try {
            for (int i = 0; i < WORKERS; i++) {
                workers.execute(() -> work(dataSource));
            }
            watch(dataSource, screen);
        } finally {
            stopped.countDown();
            workers.shutdown();
            if (!workers.awaitTermination(10, TimeUnit.SECONDS)) {
                workers.shutdownNow();
            }
        }
        Stats stats = dataSource.stats();
        screen.summary(stats, queries.sum(), errors.sum());
        return errors.sum() == 0 ? Main.OK : Main.FAILED;
    }

    private void watch(ReservoirDataSource dataSource, Screen screen) throws InterruptedException {
        long begin = System.nanoTime();
        long stepMillis = options.plain() ? 1000 : 200;
        while (!stopped.await(stepMillis, TimeUnit.MILLISECONDS)) {
            long elapsed = System.nanoTime() - begin;
            screen.show(dataSource.stats(), queries.sum(), errors.sum(), elapsed);
            if (elapsed >= options.length().toNanos()) {
                return;
            }
        }
    }

    private void work(ReservoirDataSource dataSource) {
        while (stopped.getCount() > 0) {
            String failure = queryOnce(dataSource);
            if (failure == null) {
                queries.increment();
            } else if (stopped.getCount() > 0) {
                errors.increment();
                out.println("A query failed: " + failure);
            }
        }
    }

    private static @Nullable String queryOnce(ReservoirDataSource dataSource) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select pg_sleep(0.004)");
            return null;
        } catch (SQLException e) {
            return Text.oneLine(e);
        }
    }
}
