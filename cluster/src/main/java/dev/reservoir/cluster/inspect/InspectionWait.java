package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How an inspection waits for a stage: it blocks on real time, and advances virtual time. */
@FunctionalInterface
interface InspectionWait {
    /** Waits until the stage is complete, for at most {@code maxNanos}. Fails only with a {@link StoreException}. */
    <T> T until(CompletionStage<T> stage, long maxNanos);

    /** Waits by blocking the thread. */
    static <T> T blocking(CompletionStage<T> stage, long maxNanos) {
        try {
            return stage.toCompletableFuture().get(maxNanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new StoreException(Kind.UNAVAILABLE, "no answer", -1, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Kind.UNAVAILABLE, "interrupted", -1, e);
        }
    }

    static StoreException failure(Throwable error) {
        return error instanceof StoreException known
                ? known
                : new StoreException(Kind.UNAVAILABLE, String.valueOf(error), -1, error);
    }
}
