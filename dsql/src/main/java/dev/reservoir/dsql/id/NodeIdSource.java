package dev.reservoir.dsql.id;

import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * Says which node this process is among all that make ids for the same tables. No two may be the same node at the same time, nor within
 * less time than their clocks may differ. Asked for every id, so it answers at once and never blocks.
 */
@FunctionalInterface
public interface NodeIdSource {
    /** The largest node id; the smallest is 0. */
    int MOST = 1_023;

    /** For how long a node id is protected of which nothing else is said: the shortest lease time that there is. */
    Duration PROTECTED_LEAST = Duration.ofSeconds(3);

    /**
     * The node id now, 0 to {@value #MOST}.
     *
     * @throws IllegalStateException if this process has none now
     */
    int nodeId();

    /**
     * For how long at least no other process gets the node id after this one has lost it. Ids run ahead of the clock by half of that at
     * most, so that the other half is left for clocks that differ. Default: {@link #PROTECTED_LEAST}.
     */
    default Duration protectedFor() {
        return PROTECTED_LEAST;
    }

    /** A node id that was assigned by hand: two processes with the same one make the same ids. It is nobody else's, ever. */
    static NodeIdSource fixed(int nodeId) {
        if (nodeId < 0 || nodeId > MOST) {
            throw new IllegalArgumentException("nodeId is " + nodeId + "; allowed: 0 to " + MOST);
        }
        return leased(() -> nodeId, Duration.ofDays(365));
    }

    /**
     * A node id that is leased, with the lease's time.
     *
     * @param nodeId what {@link #nodeId} answers
     * @param protectedFor what {@link #protectedFor} answers: the lease time
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
