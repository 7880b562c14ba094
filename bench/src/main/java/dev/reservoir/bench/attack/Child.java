package dev.reservoir.bench.attack;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.trouble.TroubleServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An attack that needs a JVM with limits of its own. The child says its statements line by line: {@code +} what held, {@code -} what
 * did not, and a full stop when it is done.
 */
final class Child {

    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final String DONE = ".";

    /** The variable by which the other side learns the server's password. */
    private static final String PASSWORD = "RESERVOIR_BENCH_PASSWORD";

    private Child() {}

    /** Runs the program, which gets the server's password, and takes over what it says. Kills it if it takes too long. */
    static void run(
            Verdict verdict,
            TroubleServer server,
            List<String> command,
            Class<?> main,
            List<String> options,
            List<String> arguments)
            throws IOException, InterruptedException {
        Jvm jvm = Jvm.startLimited(command, main, options, arguments, Map.of(PASSWORD, server.password()));
        Thread watchdog = new Thread(() -> killLater(jvm), "watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        boolean done = false;
        for (String line = jvm.readLine(); line != null && !done; line = done ? line : jvm.readLine()) {
            done = line.equals(DONE);
            if (line.startsWith("+ ") || line.startsWith("- ")) {
                verdict.check(line.startsWith("+"), line.substring(2));
            }
        }
        verdict.check(done, done ? "the process went on" : "the process ended or was stopped before it was done");
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

    /** For the other side: a URL for the server's superuser, by way of a host and port. */
    static String url(String application, String host, int port) {
        return TroubleServer.url(application, host, port, System.getenv(PASSWORD));
    }

    /** For the other side: the same by way of a port of this machine. */
    static String url(String application, int port) {
        return url(application, "127.0.0.1", port);
    }

    /** For the other side: says one statement. */
    static void say(boolean holds, String statement) {
        System.out.println((holds ? "+ " : "- ") + statement);
        System.out.flush();
    }

    /** For the other side: a verdict's line has no place here, so every statement is said by itself. */
    static void done() {
        System.out.println(DONE);
        System.out.flush();
    }
}
