package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A bucket of permits that belongs to one process. It shares nothing with other processes. */
final class OwnPermits implements Permits {
    private final Permits bucket;
    private final SimulatedProcess process;

    OwnPermits(Permits bucket, SimulatedProcess process) {
        this.bucket = bucket;
        this.process = process;
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        return ask(bucket, urgency, process);
    }

    /** Requests a permit from a bucket. Counts the request if the bucket does not grant it at once. */
    static CompletableFuture<Permit> ask(Permits bucket, Urgency urgency, SimulatedProcess process) {
        CompletableFuture<Permit> asked = bucket.acquire(urgency).toCompletableFuture();
        if (!asked.isDone()) {
            process.service.limiterDenies++;
        }
        return asked;
    }

    @Override
    public double ratePerSecond() {
        return bucket.ratePerSecond();
    }

    @Override
    public String describe() {
        return bucket.describe();
    }
}
