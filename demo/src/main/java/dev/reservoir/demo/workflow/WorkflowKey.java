package dev.reservoir.demo.workflow;

import java.util.List;
import java.util.UUID;

/**
 * The key of a workflow in the store.
 *
 * @param shardId the shard of the workflow, see {@link #of}
 * @param namespaceId the namespace that the workflow belongs to
 * @param workflowId the name of the workflow
 */
public record WorkflowKey(int shardId, UUID namespaceId, String workflowId) {

    /** Returns the key of a workflow in a store with this number of shards. Shards are numbered from 0. */
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
