package dev.reservoir.demo.workflow;

import java.util.UUID;

/**
 * One run of a workflow.
 *
 * @param runId which
 * @param running whether it has not been completed yet
 * @param lastWriteVersion the range id of the shard when it was last written
 * @param appliedEvents events that were applied to it
 */
public record Execution(UUID runId, boolean running, long lastWriteVersion, long appliedEvents) {}
