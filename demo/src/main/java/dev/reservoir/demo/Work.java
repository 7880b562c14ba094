package dev.reservoir.demo;

import dev.reservoir.workflows.WorkflowLoad;
import org.HdrHistogram.Histogram;

/**
 * What was done.
 *
 * @param completed workflows that were completed
 * @param failed workflows that ended with an error
 * @param turnedAway workflows that found too many waiting before them
 * @param latency from arrival to completion, in nanoseconds; not to be changed
 */
record Work(long completed, long failed, long turnedAway, Histogram latency) {

    static Work none() {
        return new Work(0, 0, 0, new Histogram(3));
    }

    static Work of(WorkflowLoad load) {
        WorkflowLoad.Stats stats = load.stats();
        return new Work(stats.completed(), stats.failed(), stats.turnedAway(), stats.latency());
    }

    Work plus(Work other) {
        Histogram both = latency.copy();
        both.setAutoResize(true);
        both.add(other.latency);
        return new Work(completed + other.completed, failed + other.failed, turnedAway + other.turnedAway, both);
    }

    /** What was done since then. */
    Work since(Work before) {
        Histogram rest = latency.copy();
        rest.subtract(before.latency);
        return new Work(completed - before.completed, failed - before.failed, turnedAway - before.turnedAway, rest);
    }
}
