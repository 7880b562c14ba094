package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A bucket that one process has for itself. */
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

    /** A bucket's answer; whoever is not served at once is told to wait, and that is counted. */
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
