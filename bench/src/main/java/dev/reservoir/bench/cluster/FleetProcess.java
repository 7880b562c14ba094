package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.demo.fleet.ProcessStore;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/** One process of a fleet. */
abstract class FleetProcess {

    /** The limit of leases, so large that no request is ever denied. */
    static final int LIMIT = 100_000;

    final String name;
    final Time time;
    final ProcessStore store;
    final SplittableRandom random;

    FleetProcess(String name, MeasuredFleet fleet) {
        this.name = name;
        this.time = fleet.world.time(name);
        this.store = new ProcessStore(fleet.world.store(time), () -> false, fleet::sent);
        this.random = new SplittableRandom(fleet.world.nanos() * 1_000 + name.hashCode());
    }

    /** The id of its member item in the table, or an empty text if it has none. */
    abstract String member();

    /** Ends in order: closes its connections and releases its leases. Does not block. */
    abstract CompletionStage<Void> leave();

    /** Its requests to the table so far. */
    final StoreCounts counts() {
        return store.counts();
    }

    /** Ends at once, as by SIGKILL. */
    final void die() {
        store.die();
        if (time instanceof SystemTime real) {
            real.close();
        }
    }
}
