package dev.reservoir.bench.attack;

import dev.reservoir.bench.Jvm;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * An attack that needs a JVM with limits of its own. The child says its statements line by line: {@code +} what held, {@code -} what
 * did not, and a full stop when it is done.
 */
final class Child {

    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final String DONE = ".";

    private Child() {}

    /** Runs the program and takes over what it says. Kills it if it takes too long. */
    static void run(Verdict verdict, List<String> command, Class<?> main, List<String> options, List<String> arguments)
            throws IOException, InterruptedException {
        Jvm jvm = Jvm.startLimited(command, main, options, arguments);
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
