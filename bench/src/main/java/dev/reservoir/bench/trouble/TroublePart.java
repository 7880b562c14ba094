package dev.reservoir.bench.trouble;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tests one pool with every kind of failure, on a PostgreSQL server of its own. The cases that mostly wait run at the
 * same time, each with its own pool and its own relay to the server. The others run one after the other.
 */
public final class TroublePart {

    /** Longest time of a case. It is longer than the longest case needs. */
    private static final Duration CASE_LIMIT = Duration.ofMinutes(3);

    private static final Map<String, TroubleCase> WAITING = new LinkedHashMap<>();
    private static final Map<String, TroubleCase> ALONE = new LinkedHashMap<>();

    static {
        WAITING.put("silent", LostConnections::silent);
        WAITING.put("busy", LostConnections::busy);
        WAITING.put("password", WrongPasswordCase::run);
        ALONE.put("idle", LostConnections::idleKilled);
        ALONE.put("drop", LostConnections::dropped);
        // This case comes last, because it ends the sessions of all others.
        ALONE.put("restart", trial -> new RestartCase().run(trial));
    }

    private final List<String> failed = new ArrayList<>();
    private final Trial trial;
    private final Results results;

    private TroublePart(Trial trial, Results results) {
        this.trial = trial;
        this.results = results;
    }

    /** Takes {@code --pool} and {@code --case}, a list of cases separated by commas. */
    public static void run(Arguments arguments, Results results) throws IOException, InterruptedException {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        List<String> cases = cases(arguments.text("case", "all"));
        try (TroubleServer server = TroubleServer.start()) {
            TroublePart part = new TroublePart(new Trial(kind, server), results);
            part.runTogether(cases.stream().filter(WAITING::containsKey).toList(), WAITING);
            for (String name : ALONE.keySet()) {
                if (cases.contains(name)) {
                    part.runTogether(List.of(name), ALONE);
                }
            }
            if (!part.failed.isEmpty()) {
                throw new IllegalStateException(kind.title() + " had no result in " + part.failed);
            }
        }
    }

    static List<String> cases(String text) {
        List<String> known = new ArrayList<>(WAITING.keySet());
        known.addAll(ALONE.keySet());
        return Arguments.choose("case", text, known);
    }

    private void runTogether(List<String> names, Map<String, TroubleCase> cases)
            throws IOException, InterruptedException {
        Map<String, FutureTask<TroubleCase.Finding>> tasks = new LinkedHashMap<>();
        for (String name : names) {
            TroubleCase found = cases.get(name);
            if (found != null) {
                tasks.put(name, Daemons.call("case-" + name, () -> found.run(trial)));
            }
        }
        long deadlineNanos = System.nanoTime() + CASE_LIMIT.toNanos();
        for (Map.Entry<String, FutureTask<TroubleCase.Finding>> entry : tasks.entrySet()) {
            try {
                entry.getValue()
                        .get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS)
                        .write(results);
            } catch (ExecutionException | TimeoutException e) {
                // A pool that hangs or fails here is left alone, and the other cases go on.
                failed.add(entry.getKey());
                System.err.println(trial.kind().title() + ", " + entry.getKey() + ": " + e);
            }
        }
    }
}
