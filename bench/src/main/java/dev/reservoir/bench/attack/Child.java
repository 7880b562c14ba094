package dev.reservoir.bench.attack;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.trouble.TroubleServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs an attack that needs a JVM with limits of its own. The child prints one line for each check: {@code +} if it
 * held, {@code -} if it did not. At the end it prints a full stop.
 */
final class Child {

    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final String DONE = ".";

    /** The environment variable that passes the server's password to the child. */
    private static final String PASSWORD = "RESERVOIR_BENCH_PASSWORD";

    private Child() {}

    /**
     * Starts a server and runs the program, whose arguments are the server's port and {@code more}. Gives it the
     * server's password, and copies its checks into the verdict. Kills it if it takes too long.
     */
    static void run(Verdict verdict, List<String> command, Class<?> main, List<String> options, String... more)
            throws IOException, InterruptedException {
        try (TroubleServer server = TroubleServer.start()) {
            List<String> arguments = new ArrayList<>(List.of(Integer.toString(server.port())));
            arguments.addAll(List.of(more));
            watch(verdict, Jvm.startLimited(command, main, options, arguments, Map.of(PASSWORD, server.password())));
        }
    }

    private static void watch(Verdict verdict, Jvm jvm) throws IOException, InterruptedException {
        Thread watchdog = Daemons.start("watchdog", () -> killLater(jvm));
        boolean done = false;
        for (String line = jvm.readLine(); line != null && !done; line = done ? line : jvm.readLine()) {
            done = line.equals(DONE);
            if (line.startsWith("+ ") || line.startsWith("- ")) {
                verdict.check(line.startsWith("+"), line.substring(2));
            }
        }
        verdict.check(done, done ? "the process survived" : "the process ended or was stopped before it was done");
        watchdog.interrupt();
        jvm.kill();
    }

    private static void killLater(Jvm jvm) {
        try {
            Thread.sleep(LIMIT.toMillis());
            jvm.kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** For the child: a URL for the server's superuser, through this host and port. */
    static String url(String application, String host, int port) {
        return TroubleServer.url(application, host, port, System.getenv(PASSWORD));
    }

    /** For the child: the same through a port of this machine. */
    static String url(String application, int port) {
        return url(application, "127.0.0.1", port);
    }

    static void report(boolean holds, String statement) {
        System.out.println((holds ? "+ " : "- ") + statement);
        System.out.flush();
    }

    static void done() {
        System.out.println(DONE);
        System.out.flush();
    }
}
