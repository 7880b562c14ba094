package dev.reservoir.cli.console;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for SIGTERM or Ctrl-C, and lets the process end with a code of its own. Without it, Java ends with 143 or 130,
 * which a service manager takes for a failure.
 */
public final class ShutdownSignal {
    /** How much longer than its drain time the end may take before the process ends anyway. */
    private static final Duration GRACE = Duration.ofSeconds(45);

    private final CountDownLatch received = new CountDownLatch(1);
    private final CountDownLatch handled = new CountDownLatch(1);
    private volatile int code;

    private ShutdownSignal() {}

    /** From now on, a signal is noticed. */
    public static ShutdownSignal await(Duration drain) {
        ShutdownSignal signal = new ShutdownSignal();
        long patienceNanos = drain.plus(GRACE).toNanos();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> signal.end(patienceNanos), "shutdown-signal"));
        return signal;
    }

    /** Blocks until the process is told to end. */
    public void received() throws InterruptedException {
        received.await();
    }

    /** Lets the process end with this code. */
    public void handled(int exitCode) {
        code = exitCode;
        handled.countDown();
    }

    private void end(long patienceNanos) {
        received.countDown();
        boolean inTime = false;
        try {
            inTime = handled.await(patienceNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (inTime) {
            Runtime.getRuntime().halt(code);
        }
    }
}
