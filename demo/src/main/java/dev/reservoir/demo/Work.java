package dev.reservoir.demo;

import dev.reservoir.workflows.WorkflowLoad;
import org.HdrHistogram.Histogram;

/**
 * What was done.
 *
 * @param arrived workflows that there were to do
 * @param completed workflows that were completed
 * @param failed workflows that ended with an error
 * @param latency from arrival to completion, in nanoseconds; not to be changed
 */
record Work(long arrived, long completed, long failed, Histogram latency) {

    static Work none() {
        return new Work(0, 0, 0, new Histogram(3));
    }

    static Work of(WorkflowLoad load) {
        WorkflowLoad.Stats stats = load.stats();
        return new Work(stats.arrived(), stats.completed(), stats.failed(), stats.latency());
    }

    Work plus(Work other) {
        Histogram both = latency.copy();
        both.setAutoResize(true);
        both.add(other.latency);
        return new Work(arrived + other.arrived, completed + other.completed, failed + other.failed, both);
    }

    /** What was done since then. */
    Work since(Work before) {
        Histogram rest = latency.copy();
        rest.subtract(before.latency);
        return new Work(arrived - before.arrived, completed - before.completed, failed - before.failed, rest);
    }

    /** What waits, is being worked on, was turned away, or died with its service. */
    long undone() {
        return Math.max(0, arrived - completed - failed);
    }

    /** The latency that so many of a hundred do not exceed, in milliseconds; below 0 if nothing was completed. */
    double millisAt(double percentile) {
        return latency.getTotalCount() == 0 ? -1 : latency.getValueAtPercentile(percentile) / 1e6;
    }
}
