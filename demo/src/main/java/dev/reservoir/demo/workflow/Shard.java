package dev.reservoir.demo.workflow;

/**
 * A shard that one service owns until another takes it over.
 *
 * @param shardId the number of the shard
 * @param rangeId the fencing token; the service owns the shard as long as the shard's row has this token
 */
public record Shard(int shardId, long rangeId) {}
