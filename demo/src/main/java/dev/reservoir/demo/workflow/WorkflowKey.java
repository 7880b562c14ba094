package dev.reservoir.demo.workflow;

import java.util.List;
import java.util.UUID;

/**
 * Where a workflow is stored.
 *
 * @param shardId in which shard, see {@link #of}
 * @param namespaceId whose it is
 * @param workflowId its name
 */
public record WorkflowKey(int shardId, UUID namespaceId, String workflowId) {

    /** The key of a workflow where there are so many shards, numbered from 0. */
    public static WorkflowKey of(UUID namespaceId, String workflowId, int shards) {
        int hash = 31 * namespaceId.hashCode() + workflowId.hashCode();
        return new WorkflowKey(Math.floorMod(hash ^ (hash >>> 16), shards), namespaceId, workflowId);
    }

    List<Object> columns() {
        return List.of(shardId, namespaceId, workflowId);
    }

    List<Object> columns(Object more) {
        return List.of(shardId, namespaceId, workflowId, more);
    }
}
