package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Keeps the books of the permits of one process: how many it was granted and has not given back, and how long that took. */
final class CountedPermits implements Permits {
    /** So long asking the rest of the fleet takes at most; whoever waits longer, waits for its turn. */
    static final long ASKING_NANOS = 100_000_000L;

    private final Permits inner;
    private final SimulatedProcess process;
    private final long patienceNanos;

    /** Permits of a source that tells those who wait by itself. */
    CountedPermits(Permits inner, SimulatedProcess process) {
        this(inner, process, Long.MAX_VALUE);
    }

    /**
     * Counted permits.
     *
     * @param patienceNanos whoever waits for longer is counted as one who had to wait
     */
    CountedPermits(Permits inner, SimulatedProcess process, long patienceNanos) {
        this.inner = inner;
        this.process = process;
        this.patienceNanos = patienceNanos;
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        long askedNanos = process.time.nanos();
        CompletableFuture<Permit> stage = inner.acquire(urgency).toCompletableFuture();
        Counted counted = new Counted(stage);
        var unused = stage.handle((permit, error) -> {
            if (process.time.nanos() - askedNanos > patienceNanos) {
                process.service.limiterDenies++;
            }
            if (permit == null) {
                return counted.completeExceptionally(error);
            }
            process.permitsGranted++;
            Permit mine = new CountedPermit(permit);
            boolean taken = counted.complete(mine);
            if (!taken) {
                mine.giveBack();
            }
            return taken;
        });
        return counted;
    }

    @Override
    public double ratePerSecond() {
        return inner.ratePerSecond();
    }

    @Override
    public String describe() {
        return inner.describe();
    }

    private static final class Counted extends CompletableFuture<Permit> {
        private final CompletableFuture<Permit> stage;

        Counted(CompletableFuture<Permit> stage) {
            this.stage = stage;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            stage.cancel(mayInterruptIfRunning);
            return cancelled;
        }
    }

    private final class CountedPermit implements Permit {
        private final Permit permit;

        CountedPermit(Permit permit) {
            this.permit = permit;
        }

        @Override
        public void giveBack() {
            process.permitsGranted--;
            permit.giveBack();
        }

        @Override
        public void answered() {
            permit.answered();
        }
    }
}
