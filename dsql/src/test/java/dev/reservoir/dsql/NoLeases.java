package dev.reservoir.dsql;

import dev.reservoir.core.spi.Leases;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Leases that are never to be had. */
final class NoLeases implements Leases {
    @Override
    public CompletionStage<Lease> acquire() {
        return CompletableFuture.failedFuture(new IllegalStateException("none"));
    }

    @Override
    public CompletionStage<Void> release(Lease lease) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String describe() {
        return "none";
    }
}
