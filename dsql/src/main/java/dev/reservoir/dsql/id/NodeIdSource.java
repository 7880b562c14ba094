package dev.reservoir.dsql.id;

import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * Provides the node id of this process among all processes that make ids for the same tables. Two processes must never
 * have the same node id at the same time. A process must not take over a node id sooner than the clocks of both may
 * differ. {@link SnowflakeIds} calls it for every id, so it answers at once and never blocks.
 */
@FunctionalInterface
public interface NodeIdSource {
    /** Largest node id. The smallest is 0. */
    int NODE_ID_MAX = 1_023;

    /** Default time for which a node id stays protected. It equals the shortest lease time that exists. */
    Duration PROTECTED_DEFAULT = Duration.ofSeconds(3);

    /**
     * Returns the current node id, from 0 to {@value #NODE_ID_MAX}. Does not block.
     *
     * @throws IllegalStateException if this process has no node id now
     */
    int nodeId();

    /**
     * Returns the minimum time for which no other process gets the node id after this process has lost it. Ids run
     * ahead of the clock by at most half of that time. The other half allows for clocks that differ. Default:
     * {@link #PROTECTED_DEFAULT}. Does not block.
     */
    default Duration protectedFor() {
        return PROTECTED_DEFAULT;
    }

    /** Returns a node id that an operator has assigned. Two processes with the same one would make the same ids. */
    static NodeIdSource fixed(int nodeId) {
        if (nodeId < 0 || nodeId > NODE_ID_MAX) {
            throw new IllegalArgumentException("nodeId is " + nodeId + "; allowed: 0 to " + NODE_ID_MAX);
        }
        return leased(() -> nodeId, Duration.ofDays(365));
    }

    /**
     * Returns a source for a leased node id.
     *
     * @param nodeId supplies the result of {@link #nodeId}
     * @param protectedFor the result of {@link #protectedFor}, which is the lease time
     */
    static NodeIdSource leased(IntSupplier nodeId, Duration protectedFor) {
        if (protectedFor.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException(
                    "protectedFor is " + protectedFor + "; allowed: a lease time, 1 ms or more");
        }
        return new NodeIdSource() {
            @Override
            public int nodeId() {
                return nodeId.getAsInt();
            }

            @Override
            public Duration protectedFor() {
                return protectedFor;
            }
        };
    }
}
