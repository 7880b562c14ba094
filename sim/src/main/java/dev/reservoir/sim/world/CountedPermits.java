package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Counts the permits of one process that were granted and not given back, and the requests that had to wait. Grants
 * none itself.
 */
final class CountedPermits implements Permits {
    /**
     * Longest time that a request to the coordinator itself takes. A request that takes longer is waiting for its slot.
     */
    static final long ASKING_NANOS = 100_000_000L;

    private final Permits inner;
    private final SimulatedProcess process;
    private final long patienceNanos;

    /** Counts permits of a source that itself counts the requests that wait. */
    CountedPermits(Permits inner, SimulatedProcess process) {
        this(inner, process, Long.MAX_VALUE);
    }

    /**
     * Counts permits.
     *
     * @param patienceNanos a request that takes longer than this counts as one that had to wait
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
