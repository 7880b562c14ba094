package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.StoreCounts;
import java.util.concurrent.CompletionStage;

/** One process of a fleet. */
interface FleetProcess {

    String name();

    /** The id of its member item in the table, or an empty text if it has none. */
    String member();

    /** Its requests to the table so far. */
    StoreCounts counts();

    /** Ends in order: closes its connections and releases its leases. Does not block. */
    CompletionStage<Void> leave();

    /** Ends at once, as by SIGKILL. */
    void die();
}
