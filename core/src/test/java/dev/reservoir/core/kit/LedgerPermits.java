package dev.reservoir.core.kit;

import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Passes on permits of another source and counts those granted and given back. A test can make some requests fail. */
public final class LedgerPermits implements Permits {
    private final Permits inner;
    private final Violations violations;

    /** Supplies a stage to return instead of a request, or null to make the request. May throw. */
    public Supplier<@Nullable CompletionStage<Permit>> instead = () -> null;

    /** Called when a permit ends, given back or used. Throws if the engine should meet an error there. */
    public Runnable atEnd = () -> {};

    public int asked;
    public int askedUrgently;
    public int granted;
    public int givenBack;
    public int answered;

    public LedgerPermits(Permits inner, Violations violations) {
        this.inner = inner;
        this.violations = violations;
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        asked++;
        if (urgency == Urgency.URGENT) {
            askedUrgently++;
        }
        CompletionStage<Permit> other = instead.get();
        if (other != null) {
            return other;
        }
        CompletableFuture<Permit> request = inner.acquire(urgency).toCompletableFuture();
        return new Watched(request);
    }

    @Override
    public double ratePerSecond() {
        return inner.ratePerSecond();
    }

    @Override
    public String describe() {
        return inner.describe();
    }

    /** Permits that were granted and not given back. */
    public int used() {
        return granted - givenBack;
    }

    /** A permit that ends once: given back unused, or used and answered. */
    private final class Entered implements Permit {
        private final Permit permit;
        private boolean over;

        Entered(Permit permit) {
            this.permit = permit;
        }

        @Override
        public void giveBack() {
            end();
            givenBack++;
            permit.giveBack();
            atEnd.run();
        }

        @Override
        public void answered() {
            end();
            answered++;
            permit.answered();
            atEnd.run();
        }

        private void end() {
            violations.require(!over, 4, "a permit ends twice");
            over = true;
        }
    }

    private final class Watched extends CompletableFuture<Permit> {
        private final CompletableFuture<Permit> request;

        Watched(CompletableFuture<Permit> request) {
            this.request = request;
            var unused = request.whenComplete((permit, error) -> {
                if (permit == null) {
                    completeExceptionally(error == null ? new IllegalStateException("nothing") : error);
                    return;
                }
                granted++;
                complete(new Entered(permit));
            });
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return request.cancel(mayInterruptIfRunning);
        }
    }
}
