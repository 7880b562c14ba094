package dev.reservoir.bench.contended;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Virtual threads, on JDK 21 and later. Reached by reflection, because the module is compiled for 17. */
final class VirtualThreads {

    private VirtualThreads() {}

    /** An executor that runs every task on a virtual thread of its own. */
    static ExecutorService newExecutor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException(
                    "Java " + Runtime.version().feature() + " has no virtual threads, needed: 21 or later", e);
        }
    }
}
