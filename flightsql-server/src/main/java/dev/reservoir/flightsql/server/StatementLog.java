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

    synchronized void add(String sql) {
        if (statements.size() == KEPT_MAX) {
            statements.removeFirst();
        }
        statements.addLast(sql);
        expected.removeIf(one -> one.isMet(sql));
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

    private record Expected(String part, CompletableFuture<String> future) {
        boolean isMet(String sql) {
            return sql.contains(part) && future.complete(sql);
        }
    }
}
