package dev.reservoir.bench.attack;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The process has no file descriptor left for some seconds, and meanwhile the server ends all sessions. */
final class Descriptors implements AttackPart.Attack {

    private static final String APPLICATION = "descriptors";
    private static final int THREADS = 8;
    private static final Duration TAKEN = Duration.ofSeconds(6);

    /** Most files that the attack opens, in case that there is no limit. */
    private static final int FILES_MAX = 10_000;

    private static final Deque<FileInputStream> FILES = new ArrayDeque<>();

    /** Limit of file descriptors: enough to start a JVM, and few enough to take them all at once. */
    private static final int LIMIT = 200;

    @Override
    public void run(Verdict verdict) throws Exception {
        if (!Files.isExecutable(Path.of("/bin/sh"))) {
            verdict.skip("there is no /bin/sh to set a limit with");
            return;
        }
        List<String> limited = List.of("/bin/sh", "-c", "ulimit -n " + LIMIT + " && exec \"$@\"", "sh");
        Child.run(verdict, limited, Descriptors.class, List.of("-Xmx256m"));
    }

    /** The child. Takes the server's port. */
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        AttackedPool attacked = new AttackedPool(APPLICATION, port, THREADS);
        Checkouts checkouts = attacked.checkouts;
        takeAll(port);
        long failed = checkouts.failed.sum();
        attacked.reportServedAgain();
        int hanging = attacked.stop();
        Child.report(
                hanging == 0 && attacked.isWithinDeadline(checkouts.longest()),
                "longest checkout " + checkouts.longest().toMillis() + " ms of 2 s allowed, " + hanging + " hang, "
                        + failed + " requests lost");
        attacked.reportCounts();
        Child.done();
        System.exit(0);
    }

    /** Ends all sessions, and for some time takes every descriptor that becomes free. */
    private static void takeAll(int port) throws Exception {
        try (Connection admin = DriverManager.getConnection(Child.url("admin", port));
                Statement statement = admin.createStatement()) {
            take();
            Child.report(!FILES.isEmpty() && FILES.size() < FILES_MAX, FILES.size() + " descriptors taken");
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
            while (FILES.size() < FILES_MAX) {
                FILES.push(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            // No descriptor is left, as intended.
        }
    }
}
