package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Leases;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Records the leases of one process: those that were granted to it and that it has not released. Grants none itself.
 */
final class CountedLeases implements Leases {
    private final Leases inner;
    private final SimulatedProcess process;

    CountedLeases(Leases inner, SimulatedProcess process) {
        this.inner = inner;
        this.process = process;
    }

    /** The engine never cancels this request. It releases a lease that arrives too late. */
    @Override
    public CompletionStage<Lease> acquire() {
        CompletableFuture<Lease> counted = new CompletableFuture<>();
        var unused = inner.acquire().handle((lease, error) -> {
            if (lease == null) {
                return counted.completeExceptionally(error);
            }
            if (!process.leases.add(lease.id())) {
                process.brokePromise(4, "the lease " + lease.id() + " is granted twice");
            }
            return counted.complete(lease);
        });
        return counted;
    }

    @Override
    public CompletionStage<Void> release(Lease lease) {
        process.leases.remove(lease.id());
        return inner.release(lease);
    }

    @Override
    public String describe() {
        return inner.describe();
    }

    @Override
    public void attach(Holder holder) {
        inner.attach(holder);
    }

    @Override
    public void detach(Holder holder) {
        inner.detach(holder);
    }
}
