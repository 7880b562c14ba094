package dev.reservoir.core.internal.checkout;

import dev.reservoir.core.InUseReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reports which threads hold connections, and since when. Never changes anything. */
public final class Holders {
    /** Room for threads that start between the count of threads and their enumeration. */
    private static final int SPARE = 64;

    private Holders() {}

    /** Connections that have been in use for at least this long, the longest first. */
    public static <T> List<InUseReport> of(List<Entry<T>> entries, long nowNanos, long atLeastNanos) {
        List<InUseReport> reports = new ArrayList<>();
        Map<Long, String> names = threadNames();
        for (Entry<T> entry : entries) {
            long held = nowNanos - entry.acquiredNanos();
            if (entry.isInUse() && held >= atLeastNanos) {
                Throwable stack = entry.stack();
                reports.add(new InUseReport(
                        held,
                        names.getOrDefault(entry.holderId(), "thread " + entry.holderId()),
                        stack == null ? List.of() : List.of(stack.getStackTrace())));
            }
        }
        reports.sort(Comparator.comparingLong(InUseReport::heldNanos).reversed());
        return reports;
    }

    /** The names of the platform threads that are alive now. Virtual threads are reported by their number only. */
    private static Map<Long, String> threadNames() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root != null && root.getParent() != null) {
            root = root.getParent();
        }
        Map<Long, String> names = new HashMap<>();
        if (root != null) {
            Thread[] threads = new Thread[root.activeCount() + SPARE];
            int count = root.enumerate(threads, true);
            for (int i = 0; i < count; i++) {
                names.put(threads[i].getId(), threads[i].getName());
            }
        }
        return names;
    }
}
