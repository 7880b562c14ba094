package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Permits of the fleet as one process gets them. Counts those for which it had to wait longer than asking takes. */
final class AwaitedPermits implements Permits {
    private static final long ASKING_NANOS = 100_000_000L;

    private final Permits inner;
    private final Instance process;

    AwaitedPermits(Permits inner, Instance process) {
        this.inner = inner;
        this.process = process;
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        long askedNanos = process.time.nanos();
        CompletableFuture<Permit> asked = inner.acquire(urgency).toCompletableFuture();
        var unused = asked.whenComplete((permit, error) -> {
            if (process.time.nanos() - askedNanos > ASKING_NANOS) {
                process.service.limiterDenies++;
            }
        });
        return asked;
    }

    @Override
    public double ratePerSecond() {
        return inner.ratePerSecond();
    }

    @Override
    public String describe() {
        return inner.describe();
    }
}
