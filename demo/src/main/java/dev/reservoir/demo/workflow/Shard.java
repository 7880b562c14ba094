package dev.reservoir.demo.workflow;

/**
 * A shard as one service owns it, until another takes it over.
 *
 * @param shardId which
 * @param rangeId the fencing token: as long as the shard has it, it is this owner's
 */
public record Shard(int shardId, long rangeId) {}
