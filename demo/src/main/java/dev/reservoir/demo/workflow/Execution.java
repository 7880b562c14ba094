package dev.reservoir.demo.workflow;

import java.util.UUID;

/**
 * One run of a workflow.
 *
 * @param runId the id of the run
 * @param running whether the run is not completed yet
 * @param lastWriteVersion the range id of the shard at the last write
 * @param appliedEvents the number of events that were applied
 */
public record Execution(UUID runId, boolean running, long lastWriteVersion, long appliedEvents) {}
