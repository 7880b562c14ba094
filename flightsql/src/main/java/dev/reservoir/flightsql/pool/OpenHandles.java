package dev.reservoir.flightsql.pool;

import dev.reservoir.core.InUseReport;
import dev.reservoir.core.util.EventDispatcher;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The results and sessions that applications hold. Reports those that are open for too long, and recovers the
 * connections of those that were collected without being closed. Looks once a second, so it needs no thread.
 */
final class OpenHandles {
    private static final Logger log = LoggerFactory.getLogger(RunningPool.LOGGER);

    private final String pool;
    private final long leakNanos;
    private final EventDispatcher lines;
    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
    private final Map<Core, Handle> open = new ConcurrentHashMap<>();

    /** Collected, not recovered yet. Used by the thread that looks. At most as many as there are connections. */
    private final ArrayDeque<Handle> lost = new ArrayDeque<>();

    OpenHandles(String pool, long leakNanos, EventDispatcher lines) {
        this.pool = pool;
        this.leakNanos = leakNanos;
        this.lines = lines;
    }

    /** Notes the object that the application holds. Keeps no strong reference to it. */
    void add(Object handle, Core core) {
        open.put(core, new Handle(handle, collected, core));
    }

    void remove(Core core) {
        Handle handle = open.remove(core);
        if (handle != null) {
            handle.clear();
        }
    }

    int size() {
        return open.size();
    }

    /** Does not block: recovery goes to the executor. One thread at a time looks. */
    void look(Executor recovery) {
        for (Reference<?> next = collected.poll(); next != null; next = collected.poll()) {
            Handle handle = (Handle) next;
            if (open.containsKey(handle.core)) {
                lost.addLast(handle);
                lines.run(() -> log.warn(
                        "Flight SQL pool: a {} was collected and had not been closed, its connection is recovered "
                                + " created=\"{}\" pool={}",
                        handle.core.what(),
                        handle.describe(),
                        pool));
            }
        }
        recover(recovery);
        if (leakNanos > 0) {
            open.values().forEach(this::reportIfOld);
        }
    }

    private void recover(Executor recovery) {
        for (Handle handle = lost.peekFirst(); handle != null; handle = lost.peekFirst()) {
            try {
                recovery.execute(handle.core::recover);
            } catch (RejectedExecutionException | OutOfMemoryError noThread) {
                // The next look tries again.
                return;
            }
            open.remove(handle.core);
            lost.removeFirst();
        }
    }

    private void reportIfOld(Handle handle) {
        if (!handle.reported && System.nanoTime() - handle.createdNanos >= leakNanos) {
            handle.reported = true;
            lines.run(() -> log.warn(
                    "Flight SQL pool: a {} is open for long, perhaps nobody closes it  created=\"{}\" pool={}",
                    handle.core.what(),
                    handle.describe(),
                    pool));
        }
    }

    /** The resources behind a handle. */
    interface Core {
        /** Closes it on behalf of an application that has lost it. May block. */
        void recover();

        /** The word for messages. */
        String what();
    }

    private static final class Handle extends PhantomReference<Object> {
        final Core core;
        final long createdNanos = System.nanoTime();
        final String thread = Thread.currentThread().getName();

        /** Holds the stack, and is read only for a report. A StackWalker costs several times as much per call. */
        private final Throwable created = new Throwable();

        volatile boolean reported;

        Handle(Object handle, ReferenceQueue<Object> collected, Core core) {
            super(handle, collected);
            this.core = core;
        }

        /** The application's code that created the handle. */
        private List<StackTraceElement> place() {
            return Arrays.stream(created.getStackTrace())
                    .filter(frame -> !isOwn(frame.getClassName()))
                    .limit(1)
                    .toList();
        }

        private static boolean isOwn(String type) {
            return type.startsWith("dev.reservoir.flightsql.")
                    || type.startsWith("dev.reservoir.core.")
                    || type.startsWith("java.");
        }

        String describe() {
            long heldNanos = System.nanoTime() - createdNanos;
            return new InUseReport(heldNanos, thread, place()).describe();
        }
    }
}
