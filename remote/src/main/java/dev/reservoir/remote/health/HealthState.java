package dev.reservoir.remote.health;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether one server is healthy, from the results of checks. Never checks anything, reads no clock and has no
 * thread: the caller passes the present in nanoseconds.
 *
 * <p>A healthy server becomes unhealthy after a number of failures in a row, and healthy again after a number of
 * successes in a row. While it is unhealthy, callers are refused, except for one at a time: a probe. A probe that ends
 * counts like a check. The next probe may begin when a pause has passed since the last one began, so a server that is
 * down costs one caller its time, and not all of them.
 */
public final class HealthState {
    private final long createdNanos;
    private int failureThreshold;
    private int recoveryThreshold;
    private long probePauseNanos;

    private long changedNanos;
    private long checkedNanos = -1;
    private int failuresInARow;
    private int successesInARow;
    private long checks;
    private long failedChecks;
    private @Nullable String reason;
    private boolean probing;
    private long probeBegunNanos;

    /** Written under the monitor, and read without it by each acquire. */
    private volatile boolean healthy = true;

    /** Begins healthy. */
    public HealthState(long nowNanos, int failureThreshold, int recoveryThreshold, long probePauseNanos) {
        createdNanos = nowNanos;
        changedNanos = nowNanos;
        configure(failureThreshold, recoveryThreshold, probePauseNanos);
    }

    /** Changes the thresholds. What was counted stays. */
    public synchronized void configure(int failures, int recoveries, long pauseNanos) {
        failureThreshold = failures;
        recoveryThreshold = recoveries;
        probePauseNanos = pauseNanos;
    }

    /** Takes no lock. */
    public boolean isHealthy() {
        return healthy;
    }

    /** Records a good check. Returns whether the server became healthy by it. */
    public synchronized boolean succeeded(long nowNanos) {
        checkedNanos = nowNanos;
        checks++;
        failuresInARow = 0;
        successesInARow = Math.min(successesInARow + 1, Integer.MAX_VALUE - 1);
        if (healthy) {
            reason = null;
            return false;
        }
        return successesInARow >= recoveryThreshold && markHealthy(nowNanos);
    }

    /** Records a failed check. Returns whether the server became unhealthy by it. */
    public synchronized boolean failed(long nowNanos, String why) {
        checkedNanos = nowNanos;
        failedChecks++;
        successesInARow = 0;
        failuresInARow = Math.min(failuresInARow + 1, Integer.MAX_VALUE - 1);
        reason = why;
        return healthy && failuresInARow >= failureThreshold && markUnhealthy(nowNanos, why);
    }

    /** Makes the server healthy now. Returns whether it was not. */
    public synchronized boolean markHealthy(long nowNanos) {
        boolean changes = !healthy;
        failuresInARow = 0;
        reason = null;
        probing = false;
        if (changes) {
            changedNanos = nowNanos;
            healthy = true;
        }
        return changes;
    }

    /**
     * Makes the server unhealthy now. It recovers like one that checks found unhealthy. Returns whether it was healthy.
     */
    public synchronized boolean markUnhealthy(long nowNanos, String why) {
        boolean changes = healthy;
        successesInARow = 0;
        reason = why;
        if (changes) {
            changedNanos = nowNanos;
            probing = false;
            probeBegunNanos = nowNanos;
            healthy = false;
        }
        return changes;
    }

    /**
     * Whether a caller may pass although the server is unhealthy. If so, {@link #probeEnded} must follow. A probe that
     * has not ended after the pause counts as lost.
     */
    public synchronized boolean tryProbe(long nowNanos) {
        boolean due = nowNanos - probeBegunNanos >= probePauseNanos;
        if (healthy || !due) {
            return false;
        }
        probing = true;
        probeBegunNanos = nowNanos;
        return true;
    }

    /** The probe has ended. If it was good, the next one may begin at once. */
    public synchronized void probeEnded(boolean good) {
        probing = false;
        if (good) {
            probeBegunNanos -= probePauseNanos;
        }
    }

    /** All numbers at one instant. */
    public synchronized Snapshot snapshot(long nowNanos) {
        return new Snapshot(
                healthy,
                reason,
                nowNanos - changedNanos,
                checkedNanos < 0 ? -1 : nowNanos - checkedNanos,
                failuresInARow,
                successesInARow,
                checks,
                failedChecks,
                healthy ? 0 : Math.max(0, probeBegunNanos + probePauseNanos - nowNanos),
                probing);
    }

    @Override
    public synchronized String toString() {
        return (healthy ? "healthy" : "unhealthy: " + reason) + ", since "
                + TimeUnit.NANOSECONDS.toSeconds(changedNanos - createdNanos) + " s after the start";
    }

    /**
     * The state at one instant.
     *
     * @param sinceNanos how long ago it changed
     * @param checkedNanos how long ago the last check ended; -1 if there was none
     * @param nextProbeNanos how soon the next caller may pass
     */
    public record Snapshot(
            boolean healthy,
            @Nullable String reason,
            long sinceNanos,
            long checkedNanos,
            int failuresInARow,
            int successesInARow,
            long checks,
            long failedChecks,
            long nextProbeNanos,
            boolean probing) {}
}
