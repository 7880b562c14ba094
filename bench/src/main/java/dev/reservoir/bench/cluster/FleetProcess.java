package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.StoreCounts;
import java.util.concurrent.CompletionStage;

/** One process of a fleet. */
interface FleetProcess {

    String name();

    /** By what id it is known in the table; empty if it is not. */
    String member();

    /** What it asked of the table so far. */
    StoreCounts counts();

    /** Ends in order: closes its connections and gives back what it holds. Does not block. */
    CompletionStage<Void> leave();

    /** Ends without a word, as by SIGKILL. */
    void die();
}
