package dev.reservoir.demo.fleet;

import dev.reservoir.demo.workflow.WorkflowLoad;
import org.HdrHistogram.Histogram;

/**
 * The work that was done.
 *
 * @param arrived workflows that arrived
 * @param completed workflows that were completed
 * @param failed workflows that ended with an error
 * @param latencyNanos time from arrival to completion; must not be modified
 */
public record WorkDone(long arrived, long completed, long failed, Histogram latencyNanos) {

    public static WorkDone none() {
        return new WorkDone(0, 0, 0, new Histogram(3));
    }

    static WorkDone of(WorkflowLoad load) {
        WorkflowLoad.Stats stats = load.stats();
        return new WorkDone(stats.arrived(), stats.completed(), stats.failed(), stats.latencyNanos());
    }

    public WorkDone plus(WorkDone other) {
        Histogram both = latencyNanos.copy();
        both.setAutoResize(true);
        both.add(other.latencyNanos);
        return new WorkDone(arrived + other.arrived, completed + other.completed, failed + other.failed, both);
    }

    public WorkDone since(WorkDone before) {
        Histogram rest = latencyNanos.copy();
        rest.subtract(before.latencyNanos);
        return new WorkDone(arrived - before.arrived, completed - before.completed, failed - before.failed, rest);
    }

    /** Returns the workflows that wait, run, were rejected, or died with their service. */
    public long undone() {
        return Math.max(0, arrived - completed - failed);
    }

    public Latency latency() {
        return Latency.of(latencyNanos);
    }
}
