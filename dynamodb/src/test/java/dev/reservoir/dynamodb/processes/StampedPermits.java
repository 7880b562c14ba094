package dev.reservoir.dynamodb.processes;

import dev.reservoir.core.spi.Permits;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The permits of a budget, with the moment at which each was granted. That moment is what the budget answers for; what
 * the engine, the machine and the way to the server take after it is none of its business, and is known by it.
 */
final class StampedPermits implements Permits {
    private final Permits permits;
    private final BooleanSupplier away;
    private final Queue<Stamp> granted = new ConcurrentLinkedQueue<>();

    /**
     * When and how a permit was granted.
     *
     * @param atMicros when, in microseconds since 1970
     * @param alone whether the store was away then, so that it may come from nowhere
     */
    record Stamp(long atMicros, boolean alone) {}

    StampedPermits(Permits permits, BooleanSupplier away) {
        this.permits = permits;
        this.away = away;
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        CompletableFuture<Permit> asked = permits.acquire(urgency).toCompletableFuture();
        CompletableFuture<Permit> answer = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                boolean cancelled = super.cancel(mayInterruptIfRunning);
                asked.cancel(false);
                return cancelled;
            }
        };
        CompletionStage<Permit> stage = asked;
        var unused = stage.whenComplete((permit, error) -> {
            if (permit == null) {
                answer.completeExceptionally(error);
                return;
            }
            Stamp stamp = new Stamp(ServerConnector.nowMicros(), away.getAsBoolean());
            granted.add(stamp);
            Permit stamped = stamped(permit, stamp);
            if (!answer.complete(stamped)) {
                stamped.giveBack();
            }
        });
        return answer;
    }

    private Permit stamped(Permit permit, Stamp stamp) {
        return new Permit() {
            @Override
            public void giveBack() {
                granted.remove(stamp);
                permit.giveBack();
            }

            @Override
            public void answered() {
                permit.answered();
            }
        };
    }

    /** The stamp of the permit that is used now: they are used in the order in which they were granted. */
    @Nullable
    Stamp use() {
        return granted.poll();
    }

    @Override
    public double ratePerSecond() {
        return permits.ratePerSecond();
    }

    @Override
    public String describe() {
        return permits.describe();
    }
}
