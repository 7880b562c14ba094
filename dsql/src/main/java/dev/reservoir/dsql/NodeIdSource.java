package dev.reservoir.dsql;

/**
 * Says which node this process is among all that make ids for the same tables. No two may be the same node at the same time, nor within
 * less time than their clocks may differ. Asked for every id, so it answers at once and never blocks.
 */
@FunctionalInterface
public interface NodeIdSource {
    /** The largest node id; the smallest is 0. */
    int MOST = 1_023;

    /**
     * The node id now, 0 to {@value #MOST}.
     *
     * @throws IllegalStateException if this process has none now
     */
    int nodeId();

    /** A node id that was assigned by hand: two processes with the same one make the same ids. */
    static NodeIdSource fixed(int nodeId) {
        if (nodeId < 0 || nodeId > MOST) {
            throw new IllegalArgumentException("nodeId is " + nodeId + "; allowed: 0 to " + MOST);
        }
        return () -> nodeId;
    }
}
