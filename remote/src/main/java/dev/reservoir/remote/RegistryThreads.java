package dev.reservoir.remote;

import dev.reservoir.core.util.BackgroundThreads;
import dev.reservoir.core.util.WorkerThreads;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of a registry: one for listeners and log lines, and one for each health check under way. */
final class RegistryThreads {
    private static final Logger log = LoggerFactory.getLogger(RemoteConnectionPoolRegistry.class);

    /** Bounds the events that may wait for a listener that hangs. */
    private static final int EVENTS_WAITING_MAX = 1_000;

    /** Bounds the checks under way. Each server has at most one, and one more thread to abort it. */
    private static final int CHECKS_MAX = 1_000;

    private static final long CHECK_THREAD_KEPT_SECONDS = 2;

    private final BackgroundThreads events;
    private final ThreadPoolExecutor checks;
    private final List<HealthListener> listeners = new CopyOnWriteArrayList<>();

    RegistryThreads(String registry) {
        events = new BackgroundThreads(
                "reservoir-remote-" + registry + "-events",
                1,
                EVENTS_WAITING_MAX,
                WorkerThreads.of(WorkerThreads.Kind.EVENTS, "reservoir-remote-" + registry, null));
        AtomicInteger number = new AtomicInteger();
        checks = new ThreadPoolExecutor(
                0, CHECKS_MAX, CHECK_THREAD_KEPT_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread =
                            new Thread(task, "reservoir-remote-" + registry + "-check-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    Executor checks() {
        return checks;
    }

    void add(HealthListener listener) {
        listeners.add(listener);
    }

    void remove(HealthListener listener) {
        listeners.remove(listener);
    }

    /** Logs the change and tells the listeners. Does not block. */
    void tell(HealthEvent event) {
        try {
            events.execute(() -> {
                if (event.healthy()) {
                    log.info("Remote: the server is healthy again  server={}", event.serverName());
                } else {
                    log.warn(
                            "Remote: the server is unhealthy, acquires are refused  server={} reason=\"{}\"",
                            event.serverName(),
                            event.reason());
                }
                listeners.forEach(listener -> tell(listener, event));
            });
        } catch (RejectedExecutionException closedOrFull) {
            // Listeners that hang lose events. The health itself is not affected.
            return;
        }
    }

    private static void tell(HealthListener listener, HealthEvent event) {
        try {
            listener.healthChanged(event);
        } catch (RuntimeException e) {
            log.warn("Remote: a health listener threw an exception, ignored  listener={}", listener, e);
        }
    }

    void close() {
        events.close();
        checks.shutdown();
    }
}
