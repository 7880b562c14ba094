package dev.reservoir.demo.fleet;

import dev.reservoir.demo.workflow.WorkflowLoad;
import org.HdrHistogram.Histogram;

/**
 * The work that was done.
 *
 * @param arrived workflows that arrived
 * @param completed workflows that were completed
 * @param failed workflows that ended with an error
 * @param latency time from arrival to completion, in nanoseconds; must not be modified
 */
public record WorkDone(long arrived, long completed, long failed, Histogram latency) {

    public static WorkDone none() {
        return new WorkDone(0, 0, 0, new Histogram(3));
    }

    static WorkDone of(WorkflowLoad load) {
        WorkflowLoad.Stats stats = load.stats();
        return new WorkDone(stats.arrived(), stats.completed(), stats.failed(), stats.latencyNanos());
    }

    public WorkDone plus(WorkDone other) {
        Histogram both = latency.copy();
        both.setAutoResize(true);
        both.add(other.latency);
        return new WorkDone(arrived + other.arrived, completed + other.completed, failed + other.failed, both);
    }

    /** Returns the work that was done since then. */
    public WorkDone since(WorkDone before) {
        Histogram rest = latency.copy();
        rest.subtract(before.latency);
        return new WorkDone(arrived - before.arrived, completed - before.completed, failed - before.failed, rest);
    }

    /** Returns the workflows that wait, run, were rejected, or died with their service. */
    public long undone() {
        return Math.max(0, arrived - completed - failed);
    }

    /** Returns the latency at this percentile, in milliseconds. It is negative if nothing was completed. */
    public double millisAt(double percentile) {
        return latency.getTotalCount() == 0 ? -1 : latency.getValueAtPercentile(percentile) / 1e6;
    }
}
