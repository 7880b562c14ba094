package dev.reservoir.flightsql.server;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Remembers the last statements that the server began to execute, so that tests can count them. */
public final class StatementLog {
    /** Bounds the memory of a server that runs long. No test looks further back. */
    private static final int KEPT_MAX = 10_000;

    /** Guarded by this object's lock. */
    private final ArrayDeque<String> statements = new ArrayDeque<>();

    private final ArrayDeque<Expected> expected = new ArrayDeque<>();

    StatementLog() {}

    void add(String sql) {
        List<Expected> met;
        synchronized (this) {
            if (statements.size() == KEPT_MAX) {
                statements.removeFirst();
            }
            statements.addLast(sql);
            met = expected.stream().filter(one -> sql.contains(one.part)).toList();
            expected.removeAll(met);
        }
        // What a test attaches to a future runs here, and may ask for the next statement.
        met.forEach(one -> one.future.complete(sql));
    }

    /** The statements, the oldest first. */
    public synchronized List<String> statements() {
        return List.copyOf(statements);
    }

    /** How many statements contain this text. */
    public synchronized long count(String part) {
        return statements.stream().filter(sql -> sql.contains(part)).count();
    }

    /** Completes when the server begins to execute the next statement that contains this text. */
    public synchronized CompletableFuture<String> next(String part) {
        Expected one = new Expected(part, new CompletableFuture<>());
        expected.add(one);
        return one.future;
    }

    public synchronized void clear() {
        statements.clear();
    }

    private record Expected(String part, CompletableFuture<String> future) {}
}
