package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Permits;
import dev.reservoir.sim.result.Sample.Event;
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

    /** Whether a request had to wait if it is not granted at once. */
    private final boolean atOnce;

    /** A request that takes longer than this had to wait. */
    private final long patienceNanos;

    private CountedPermits(Permits inner, SimulatedProcess process, boolean atOnce, long patienceNanos) {
        this.inner = inner;
        this.process = process;
        this.atOnce = atOnce;
        this.patienceNanos = patienceNanos;
    }

    /** Counts permits. A request that is not granted at once had to wait. */
    static CountedPermits atOnce(Permits inner, SimulatedProcess process) {
        return new CountedPermits(inner, process, true, Long.MAX_VALUE);
    }

    /** Counts permits. A request that takes longer than the patience had to wait. */
    static CountedPermits patient(Permits inner, SimulatedProcess process, long patienceNanos) {
        return new CountedPermits(inner, process, false, patienceNanos);
    }

    /** Counts permits of a source that itself counts the requests that wait. */
    static CountedPermits asIs(Permits inner, SimulatedProcess process) {
        return patient(inner, process, Long.MAX_VALUE);
    }

    /** Requests a permit from a bucket. Counts the request if the bucket does not grant it at once. */
    static CompletableFuture<Permit> ask(Permits bucket, Urgency urgency, SimulatedProcess process) {
        CompletableFuture<Permit> asked = bucket.acquire(urgency).toCompletableFuture();
        if (!asked.isDone()) {
            process.service.count(Event.LIMITER_DENIES);
        }
        return asked;
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        long askedNanos = process.time.nanos();
        CompletableFuture<Permit> stage =
                atOnce ? ask(inner, urgency, process) : inner.acquire(urgency).toCompletableFuture();
        Counted counted = new Counted(stage);
        var unused = stage.handle((permit, error) -> {
            if (process.time.nanos() - askedNanos > patienceNanos) {
                process.service.count(Event.LIMITER_DENIES);
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
