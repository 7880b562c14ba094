package dev.reservoir.jdbc;

import java.util.List;

/** The threads of this process that belong to one reservoir, or to all of them. */
public final class LiveThreads {
    private LiveThreads() {}

    /** Threads that work for a reservoir now, or are its own. */
    public static List<String> of(String reservoirName) {
        String prefix = "reservoir-" + reservoirName;
        return all().stream()
                .filter(name -> name.equals(prefix) || name.startsWith(prefix + "-"))
                .toList();
    }

    /** Threads of all reservoirs, shared or not. */
    public static List<String> all() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("reservoir-"))
                .filter(name -> !name.startsWith("reservoir-postgres-"))
                .sorted()
                .toList();
    }
}
