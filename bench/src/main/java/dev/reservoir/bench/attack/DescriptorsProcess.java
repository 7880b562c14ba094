package dev.reservoir.bench.attack;

import dev.reservoir.bench.Quiet;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.io.FileInputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** The child of {@link Descriptors}. */
final class DescriptorsProcess {

    private static final String APPLICATION = "descriptors";
    private static final int SIZE = 10;
    private static final Duration ACQUIRE = Duration.ofSeconds(2);
    private static final Duration SLACK = Duration.ofSeconds(2);
    private static final Duration TAKEN = Duration.ofSeconds(6);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MOST = 10_000;

    private static final Deque<FileInputStream> FILES = new ArrayDeque<>();

    private DescriptorsProcess() {}

    /** Takes the server's port. */
    public static void main(String[] args) throws Exception {
        Quiet.logs();
        int port = Integer.parseInt(args[0]);
        ReservoirDataSource pool = ReservoirDataSource.builder()
                .name(APPLICATION)
                .url(Child.url(APPLICATION, port))
                .maxOpen(SIZE)
                .acquireTimeout(ACQUIRE)
                .build();
        SessionCounts books = new SessionCounts(pool, Child.url("admin", port), APPLICATION);
        Verdict before = new Verdict("before");
        books.checkIdle(before, SIZE);
        Child.say(before.holds(), "the pool was full before");
        Checkouts checkouts = new Checkouts(pool, true);
        checkouts.start(8);
        Checkouts.awaitMore(checkouts.served, PATIENCE);
        takeAll(port);
        long failed = checkouts.failed.sum();
        boolean served = Checkouts.awaitMore(checkouts.served, PATIENCE);
        Child.say(served, served ? "served again" : "not served within 20 s");
        int hanging = checkouts.stop(ACQUIRE.plus(SLACK));
        Child.say(
                hanging == 0 && checkouts.longest().compareTo(ACQUIRE.plus(SLACK)) <= 0,
                "longest checkout " + checkouts.longest().toMillis() + " ms of 2 s allowed, " + hanging + " hang, "
                        + failed + " requests lost");
        Verdict after = new Verdict("after");
        books.checkIdle(after, SIZE);
        Child.say(after.holds(), after.line());
        Child.done();
        System.exit(0);
    }

    /** Ends all sessions, and for some time takes every descriptor that becomes free. */
    private static void takeAll(int port) throws Exception {
        try (Connection admin = DriverManager.getConnection(Child.url("admin", port));
                Statement statement = admin.createStatement()) {
            take();
            Child.say(!FILES.isEmpty() && FILES.size() < MOST, FILES.size() + " descriptors taken");
            statement.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = '"
                    + APPLICATION + "'");
            long beganNanos = System.nanoTime();
            while (System.nanoTime() - beganNanos < TAKEN.toNanos()) {
                take();
                Thread.sleep(1);
            }
        } finally {
            while (!FILES.isEmpty()) {
                FILES.pop().close();
            }
        }
    }

    private static void take() {
        try {
            while (FILES.size() < MOST) {
                FILES.push(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            // No descriptor is left, as intended.
        }
    }
}
