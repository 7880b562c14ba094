package dev.reservoir.jdbc;

import java.util.List;

/** The threads of this process that belong to one reservoir. */
public final class LiveThreads {
    private LiveThreads() {}

    public static List<String> of(String reservoirName) {
        String prefix = "reservoir-" + reservoirName;
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.equals(prefix) || name.startsWith(prefix + "-"))
                .sorted()
                .toList();
    }
}
