package dev.reservoir.dynamodb.processes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the server has seen: every connect, who holds how many connections now, and whether there ever were more than
 * allowed. For any thread.
 */
final class ConnectRecord {
    private static final int KEPT_MAX = 1_000;

    private final int limit;
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Map<String, Integer> open = new HashMap<>();
    private final Set<String> excused = new HashSet<>();
    private final List<Violation> violations = new ArrayList<>();
    private int total;
    private int mostOpen;
    private int timesOver;
    private long overNanos;
    private long overSinceNanos;

    /**
     * A moment at which there were too many.
     *
     * @param atNanos when, on this process's clock
     * @param tooMany by how many, those not counted that are excused
     * @param open who held how many of those that count
     */
    record Violation(long atNanos, int tooMany, Map<String, Integer> open) {}

    ConnectRecord(int limit) {
        this.limit = limit;
    }

    synchronized void opened(Arrival arrival) {
        arrivals.add(arrival);
        open.merge(arrival.process(), 1, Integer::sum);
        total++;
        if (total == limit + 1) {
            timesOver++;
            overSinceNanos = System.nanoTime();
        }
        mostOpen = Math.max(mostOpen, total);
        judge();
    }

    synchronized void closed(String process) {
        open.merge(process, -1, Integer::sum);
        total--;
        if (total == limit) {
            overNanos += System.nanoTime() - overSinceNanos;
        }
    }

    private void judge() {
        Map<String, Integer> counted = new HashMap<>(open);
        counted.keySet().removeAll(excused);
        int sum = counted.values().stream().mapToInt(Integer::intValue).sum();
        if (sum > limit && violations.size() < KEPT_MAX) {
            violations.add(new Violation(System.nanoTime(), sum - limit, counted));
        }
    }

    /** What these hold is not counted from now on: nobody can take it from them, and others may have their leases. */
    synchronized void excuse(Set<String> processes) {
        excused.addAll(processes);
    }

    /** What these hold counts again. */
    synchronized void excuseNoMore(Set<String> processes) {
        excused.removeAll(processes);
        judge();
    }

    /** How many connections this process holds. */
    synchronized int open(String process) {
        return open.getOrDefault(process, 0);
    }

    /** How many there are in all. */
    synchronized int open() {
        return total;
    }

    /** The most there ever were. */
    synchronized int mostOpen() {
        return mostOpen;
    }

    synchronized String timesOver() {
        return String.format("%d times for %.1f s in all", timesOver, overNanos / 1e9);
    }

    synchronized List<Arrival> arrivals() {
        return List.copyOf(arrivals);
    }

    /** All moments at which there were too many, up to a bound. */
    synchronized List<Violation> violations() {
        return List.copyOf(violations);
    }
}
